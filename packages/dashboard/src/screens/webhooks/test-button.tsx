import { useNavigate } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { cobroOf } from '../../api/cobro.ts'
import { useConfirmed } from '../../api/use-confirmed.ts'
import buttons from '../../parts/buttons.module.css'
import { ProblemText } from '../../parts/problem-text.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

/** Sends a test event to an endpoint, and leads to its delivery. */
export function TestButton({ id, scope }: { id: string; scope: string }) {
  const texts = useTexts(webhooksTexts)
  const navigate = useNavigate()
  const { run, error } = useConfirmed(async () => {
    const delivery = await cobroOf(scope).webhookEndpoints.sendTest(id)
    await navigate({ to: '/$scope/deliveries/$id', params: { scope, id: delivery.id } })
  })
  return (
    <>
      <Button className={buttons.plain} onPress={() => void run()}>
        {texts.sendTest}
      </Button>
      {error !== undefined && (
        <span role="alert">
          {' '}
          <ProblemText failed={texts.failed} error={error} />
        </span>
      )}
    </>
  )
}
