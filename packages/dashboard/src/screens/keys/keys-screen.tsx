import type { ApiKey } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { useMerchantColumn } from '../../parts/columns.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import styles from '../../parts/list.module.css'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { KeyAccess } from './key-access.tsx'
import { NewKeyForm } from './new-key-form.tsx'
import { RevokeForm } from './revoke-form.tsx'
import { RotateButton } from './rotate-form.tsx'

/** The API keys of the scope. */
export function KeysScreen(): ReactNode {
  const texts = useTexts(keysTexts)
  const { scope, me, may } = useMe()
  return (
    <ListScreen
      name="keys"
      texts={texts}
      choices={[{ name: 'status', label: texts.status, words: texts.statuses }]}
      columns={useKeyColumns()}
      read={(params, signal) => cobroOf(scope).apiKeys.list(params, { signal })}
      actions={
        may('createApiKey') &&
        me?.merchant && (
          <DialogButton label={texts.newKey} tone="primary" isDismissable={false}>
            {close => <NewKeyForm scope={scope} close={close} />}
          </DialogButton>
        )
      }
    />
  )
}

function useKeyColumns(): Column<ApiKey>[] {
  const texts = useTexts(keysTexts)
  const { scope, may, timeZone } = useMe()
  return [
    { title: texts.name, cell: ({ name }) => name },
    { title: texts.key, cell: ({ key_masked }) => <code>{key_masked}</code> },
    { title: texts.status, cell: key => <KeyStatus apiKey={key} /> },
    {
      title: texts.access,
      cell: key => <KeyAccess apiKey={key} />,
    },
    {
      title: texts.lastUsed,
      cell: ({ last_used_at }) => (last_used_at ? <Moment at={last_used_at} timeZone={timeZone} /> : texts.never),
    },
    ...useMerchantColumn<ApiKey>(),
    {
      title: '',
      cell: key =>
        key.status === 'active' && (
          <span className={styles.actions}>
            {may('rotateApiKey') && !isExpired(key) && <RotateButton apiKey={key} scope={scope} />}
            {may('deleteApiKey') && (
              <DialogButton label={texts.revoke} tone="plain">
                {close => <RevokeForm apiKey={key} scope={scope} close={close} />}
              </DialogButton>
            )}
          </span>
        ),
    },
  ]
}

/** The API leaves an expired key active: its status is what was done to it. */
const isExpired = ({ expires_at }: ApiKey) => expires_at !== null && Date.parse(expires_at) <= Date.now()

/** Whether a key works, and until when. */
function KeyStatus({ apiKey }: { apiKey: ApiKey }) {
  const texts = useTexts(keysTexts)
  const { timeZone } = useMe()
  const { status, expires_at } = apiKey
  const badge = <StatusBadge status={status} word={texts.statuses[status]} />
  if (status === 'revoked' || expires_at === null) return badge
  const at = <Moment at={expires_at} timeZone={timeZone} />
  if (isExpired(apiKey))
    return (
      <>
        <StatusBadge status="expired" word={texts.expired} /> · {at}
      </>
    )
  return (
    <>
      {badge} · {texts.expires} {at}
    </>
  )
}
