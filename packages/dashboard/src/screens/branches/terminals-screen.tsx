import type { Terminal } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { useMerchantColumn } from '../../parts/columns.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import styles from '../../parts/list.module.css'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { useNamedChoices } from '../../parts/use-named-choices.ts'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { TerminalForm } from './terminal-form.tsx'
import { useBranches } from './use-branches.ts'
import { useTerminalColumns } from './use-terminal-columns.tsx'

/** The terminals of the scope, or of the branch that the address names. */
export function TerminalsScreen(): ReactNode {
  const { terminals: texts, title, status, statuses } = useTexts(branchesTexts)
  const { scope, me, may } = useMe()
  const named = useNamedChoices({ sucursal_id: texts.branch })
  return (
    <ListScreen
      name="terminals"
      texts={texts}
      choices={[{ name: 'status', label: status, words: statuses }, ...named]}
      columns={useTerminalColumns([useBranchColumn(), ...useMerchantColumn<Terminal>()])}
      read={(params, signal) => cobroOf(scope).terminales.list(params, { signal })}
      actions={
        <>
          <Link to="/$scope/branches" params={{ scope }} search={{}}>
            {title}
          </Link>
          {may('createTerminal') && me?.merchant && (
            <DialogButton label={texts.newTerminal} tone="primary">
              {close => <TerminalForm scope={scope} close={close} />}
            </DialogButton>
          )}
        </>
      }
    />
  )
}

function useBranchColumn(): Column<Terminal> {
  const { terminals: texts } = useTexts(branchesTexts)
  const { scope } = useMe()
  const branches = useBranches(scope)
  const nameOf = (id: string) => branches?.find(branch => branch.id === id)?.name ?? id
  return {
    title: texts.branch,
    cell: ({ sucursal_id }) =>
      sucursal_id === null ? (
        texts.noBranch
      ) : (
        <Link className={styles.above} to="/$scope/branches/$id" params={{ scope, id: sucursal_id }}>
          {nameOf(sucursal_id)}
        </Link>
      ),
  }
}
