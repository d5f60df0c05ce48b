import type { ReactNode } from 'react'
import styles from './list.module.css'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** Whether it has numbers, which are compared by their ends. */
  isNumber?: boolean
  /** Whether it has sentences, which are shown in full. */
  isText?: boolean
}

/** A page of rows. The link of a row, `RowLink` in one of its cells, covers it whole. */
export function ListTable<Row extends { id: string }>({
  rows,
  columns,
}: {
  rows: readonly Row[]
  columns: readonly Column<Row>[]
}) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" className={isNumber ? styles.number : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.id} data-id={row.id} tabIndex={-1}>
            {columns.map(({ title, cell, isNumber, isText }) => (
              <td
                key={title}
                data-title={title}
                className={isNumber ? styles.number : isText ? styles.text : undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
