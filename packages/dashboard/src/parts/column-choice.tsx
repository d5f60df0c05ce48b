import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button, Heading } from 'react-aria-components'
import { columnsOf, withColumns } from '../address/columns.ts'
import type { Search } from '../address/search.ts'
import { listTexts } from '../text/list-texts.ts'
import { useTexts } from '../text/locale.tsx'
import buttons from './buttons.module.css'
import dialogs from './dialog.module.css'
import { DialogButton } from './dialog-button.tsx'
import type { Column } from './list-table.tsx'

/** A column that can be chosen. `name` stands for it in the address. */
export interface NamedColumn<Row> extends Column<Row> {
  name: string
}

/** Returns the columns of a list that its address chooses, and the button that chooses others. */
export function useColumnChoice<Row>(
  all: readonly NamedColumn<Row>[],
  usual: readonly string[],
): { columns: Column<Row>[]; button: ReactNode } {
  const { columns: title } = useTexts(listTexts)
  const search = useSearch({ strict: false }) as Search
  const names = all.map(({ name }) => name)
  const chosen = columnsOf(search, names, usual)
  return {
    columns: all.filter(({ name }) => chosen.includes(name)),
    button: (
      <DialogButton label={title} tone="plain">
        {close => <ColumnsDialog columns={all} chosen={chosen} usual={usual} close={close} />}
      </DialogButton>
    ),
  }
}

interface ColumnsDialogProps {
  columns: readonly { name: string; title: string }[]
  chosen: readonly string[]
  usual: readonly string[]
  close: () => void
}

/** The columns to choose from. Each choice changes the list behind the dialog at once. */
function ColumnsDialog({ columns, chosen, usual, close }: ColumnsDialogProps) {
  const texts = useTexts(listTexts)
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const show = (names: readonly string[]) =>
    void navigate({ to: '.', search: withColumns(search, names, usual), replace: true, resetScroll: false })
  const toggle = (name: string) => show(chosen.includes(name) ? chosen.filter(one => one !== name) : [...chosen, name])
  return (
    <>
      <Heading slot="title">{texts.columns}</Heading>
      <fieldset className={dialogs.choices} aria-label={texts.columns}>
        {columns.map(({ name, title }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              // A list without columns would say nothing.
              disabled={chosen.length === 1 && chosen.includes(name)}
              onChange={() => toggle(name)}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} onPress={() => show(usual)}>
          {texts.usualColumns}
        </Button>
        <Button className={buttons.primary} onPress={close}>
          {texts.done}
        </Button>
      </div>
    </>
  )
}
