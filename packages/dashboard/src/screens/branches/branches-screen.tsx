import type { Sucursal } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { useMerchantColumn } from '../../parts/columns.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { RowLink } from '../../parts/row-link.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { BranchForm } from './branch-form.tsx'

/** The branches of the scope. */
export function BranchesScreen(): ReactNode {
  const texts = useTexts(branchesTexts)
  const { scope, me, may } = useMe()
  return (
    <ListScreen
      name="branches"
      texts={texts}
      choices={[{ name: 'status', label: texts.status, words: texts.statuses }]}
      columns={useBranchColumns()}
      read={(params, signal) => cobroOf(scope).sucursales.list(params, { signal })}
      actions={
        <>
          {may('listTerminales') && (
            <Link to="/$scope/terminals" params={{ scope }} search={{}}>
              {texts.terminals.title}
            </Link>
          )}
          {may('createSucursal') && me?.merchant && (
            <DialogButton label={texts.newBranch} tone="primary">
              {close => <BranchForm scope={scope} close={close} />}
            </DialogButton>
          )}
        </>
      }
    />
  )
}

function useBranchColumns(): Column<Sucursal>[] {
  const texts = useTexts(branchesTexts)
  return [
    {
      title: texts.names.name,
      cell: ({ id, name }) => (
        <RowLink to="/$scope/branches/$id" id={id}>
          {name}
        </RowLink>
      ),
    },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.names.city, cell: ({ address }) => address?.city },
    { title: texts.names.street, cell: ({ address }) => address?.street },
    { title: texts.names.phone, cell: ({ phone }) => phone },
    ...useMerchantColumn<Sucursal>(),
  ]
}
