import type { Sucursal, Terminal } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import detail from '../../parts/detail.module.css'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Panel } from '../../parts/panel.tsx'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { LinkTerminalForm } from './link-terminal-form.tsx'
import { useTerminalColumns } from './use-terminal-columns.tsx'

interface BranchTerminalsProps {
  branch: Sucursal
  scope: string
}

/** The terminals of a branch, the first of them by name. */
export function BranchTerminals({ branch, scope }: BranchTerminalsProps) {
  const { terminals: texts } = useTexts(branchesTexts)
  const { may } = useMe()
  const columns = useTerminalColumns()
  const terminals = useQuery({
    queryKey: [scope, 'terminals', 'of', branch.id],
    queryFn: ({ signal }) =>
      cobroOf(scope).terminales.list({ sucursal_id: branch.id, order: 'name', dir: 'asc', count: 'none' }, { signal }),
  })
  return (
    <Panel title={texts.ofBranch} query={terminals}>
      {({ data }: { data: readonly Terminal[] }) => (
        <>
          {data.length === 0 ? <p>{texts.noneOfBranch}</p> : <ListTable rows={data} columns={columns} />}
          <p>
            <Link
              className={detail.alone}
              to="/$scope/terminals"
              params={{ scope }}
              search={{ sucursal_id: branch.id }}
            >
              {texts.all}
            </Link>
          </p>
          {may('linkTerminal') && (
            <DialogButton label={texts.link} tone="plain">
              {close => <LinkTerminalForm branch={branch} scope={scope} close={close} />}
            </DialogButton>
          )}
        </>
      )}
    </Panel>
  )
}
