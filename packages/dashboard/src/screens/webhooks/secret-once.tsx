import { CodeBlock } from '../../parts/code-block.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ShownOnce } from '../../parts/shown-once.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

/** The acceptance test runs it against a delivery. */
const verification = `import { verifyWebhook } from '@cobro/sdk/webhooks'

const secret = process.env.COBRO_WEBHOOK_SECRET
const event = await verifyWebhook(rawBody, request.headers, secret)`

/** Shows the secret of an endpoint until the user has stored it, and how a server verifies signatures with it. */
export function SecretOnce({ secret, close }: { secret: string; close: () => void }) {
  const texts = useTexts(webhooksTexts)
  const once = { title: texts.secret, hint: texts.shownOnce, stored: texts.stored, copy: texts.copySecret }
  return (
    <ShownOnce texts={once} value={secret} close={close}>
      <p>{texts.verify}</p>
      <CodeBlock text={verification} />
      <p>
        <CopyButton text={verification} label={texts.copyLines} />
      </p>
    </ShownOnce>
  )
}
