import { useState } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { SecretOnce } from './secret-once.tsx'

interface RotateSecretProps {
  id: string
  merchantId: string
  url: string
  scope: string
}

/** Gives an endpoint a new secret, and shows it once. */
export function RotateSecretButton(endpoint: RotateSecretProps) {
  const { rotate } = useTexts(webhooksTexts)
  // Until a rotation has succeeded, also if its dialog is closed meanwhile: a second rotation would end the secret that the merchant uses.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID())
  const renewKey = () => setKey(crypto.randomUUID())
  return (
    <DialogButton label={rotate} tone="plain" isDismissable={false} isWide>
      {close => <RotateSecretForm {...endpoint} {...{ idempotencyKey, renewKey, close }} />}
    </DialogButton>
  )
}

interface RotateFormProps extends RotateSecretProps {
  idempotencyKey: string
  renewKey: () => void
  close: () => void
}

function RotateSecretForm({ id, merchantId, url, scope, idempotencyKey, renewKey, close }: RotateFormProps) {
  const { rotateTitle, rotateText, rotate, failed } = useTexts(webhooksTexts)
  const [secret, setSecret] = useState<string>()
  if (secret !== undefined) return <SecretOnce secret={secret} close={close} />
  const work = async () => {
    setSecret((await cobroOf(scope).webhookEndpoints.rotateSecret(id, { idempotencyKey })).secret)
    renewKey()
  }
  const texts = { title: rotateTitle(url), text: rotateText, submit: rotate, failed }
  return <ActionForm texts={texts} work={work} close={close} merchantId={merchantId} isHarmless />
}
