import type { Terminal } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import { changing, cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import styles from '../../parts/list.module.css'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { TerminalForm } from './terminal-form.tsx'

/** The columns of terminals, with `more` among them. A row leads to what the terminal took. */
export function useTerminalColumns(more: readonly Column<Terminal>[] = []): Column<Terminal>[] {
  const { terminals: texts, status: statusTitle } = useTexts(branchesTexts)
  const { scope, may, timeZone } = useMe()
  return [
    {
      title: texts.names.name,
      cell: ({ id, name }) =>
        may('listTransactions') ? (
          <Link className={styles.row} to="/$scope/payments" params={{ scope }} search={{ terminal_id: id }}>
            {name}
          </Link>
        ) : (
          name
        ),
    },
    {
      title: statusTitle,
      cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} />,
    },
    { title: texts.names.serial, cell: ({ serial }) => <code>{serial}</code> },
    { title: texts.names.model, cell: ({ model }) => model },
    ...more,
    {
      title: texts.lastSeen,
      cell: ({ last_seen_at }) => (last_seen_at ? <Moment at={last_seen_at} timeZone={timeZone} /> : texts.never),
    },
    { title: '', cell: terminal => <TerminalButtons terminal={terminal} /> },
  ]
}

function TerminalButtons({ terminal }: { terminal: Terminal }) {
  const { edit, failed, terminals: texts } = useTexts(branchesTexts)
  const { scope, may } = useMe()
  const { id, merchant_id, name, sucursal_id } = terminal
  const unlink = async (close: () => void) => {
    await changing([[scope, 'terminals']], () => cobroOf(scope).terminales.unlink(id))
    close()
  }
  return (
    <span className={styles.above}>
      {may('updateTerminal') && (
        <DialogButton label={edit} tone="plain">
          {close => <TerminalForm terminal={terminal} scope={scope} close={close} />}
        </DialogButton>
      )}{' '}
      {may('unlinkTerminal') && sucursal_id !== null && (
        <DialogButton label={texts.unlink} tone="plain">
          {close => (
            <ActionForm
              texts={{
                ...{ title: texts.unlinkTitle(name), text: texts.unlinkText },
                ...{ submit: texts.unlinkTitle(name), failed },
              }}
              work={() => unlink(close)}
              close={close}
              merchantId={merchant_id}
            />
          )}
        </DialogButton>
      )}
    </span>
  )
}
