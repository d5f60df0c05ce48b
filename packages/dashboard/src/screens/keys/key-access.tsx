import type { ApiKey } from '@cobro/sdk/admin'
import { Button, Heading } from 'react-aria-components'
import { byGroup, verbOf } from '../../input/key-scopes.ts'
import buttons from '../../parts/buttons.module.css'
import dialogs from '../../parts/dialog.module.css'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { keysTexts } from '../../text/keys-texts.ts'
import { listTexts } from '../../text/list-texts.ts'
import { useTexts } from '../../text/locale.tsx'

/** How much a key may do and from where. A press names each scope and address of one that is limited. */
export function KeyAccess({ apiKey }: { apiKey: ApiKey }) {
  const texts = useTexts(keysTexts)
  const { scopes, allowed_ips } = apiKey
  if (scopes === null && allowed_ips === null) return texts.allAccess
  const parts = [
    scopes === null ? texts.allAccess : texts.someAccess(scopes.length),
    ...(allowed_ips === null ? [] : [texts.someAddresses(allowed_ips.length)]),
  ]
  return (
    <DialogButton label={parts.join(' · ')} tone="plain">
      {close => <AccessDialog apiKey={apiKey} close={close} />}
    </DialogButton>
  )
}

function AccessDialog({ apiKey: { name, scopes, allowed_ips }, close }: { apiKey: ApiKey; close: () => void }) {
  const texts = useTexts(keysTexts)
  const { done } = useTexts(listTexts)
  const groups = byGroup(scopes ?? []).map(
    ([group, ofGroup]) => [texts.groups[group], ofGroup.map(scope => texts.verbs[verbOf(scope)]).join(', ')] as const,
  )
  return (
    <>
      <Heading slot="title">{texts.accessOf(name)}</Heading>
      <Facts
        facts={[
          ...(scopes === null ? [[texts.access, texts.allAccess] as const] : groups),
          [texts.addresses, allowed_ips?.join(', ') ?? texts.anyAddress],
        ]}
      />
      <div className={dialogs.buttons}>
        <Button className={buttons.primary} autoFocus onPress={close}>
          {done}
        </Button>
      </div>
    </>
  )
}
