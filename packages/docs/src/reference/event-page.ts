import { webhookCatalog } from '@cobro/contracts'
import { exampleEvent } from '@cobro/sdk/testing'
import type { WebhookEvent } from '@cobro/sdk/webhooks'
import type { GeneratedPage } from './generated-page.ts'

type EventName = WebhookEvent['event']

/** Returns the page of all events that webhooks receive. */
export function eventPage(): GeneratedPage {
  const chapters = (Object.keys(webhookCatalog) as EventName[]).map(name => {
    const { description } = webhookCatalog[name] ?? {}
    return `## ${name}

${description ?? ''}

Make it happen in the sandbox: \`cobro trigger ${name}\`.

\`\`\`json
${JSON.stringify(exampleEvent(name), null, 2)}
\`\`\``
  })
  const markdown = `# Events

Every event has the same envelope; \`data\` is the object that it is about, as it was then. Webhooks receive it, and the event feed
keeps it, with the same bytes.

${chapters.join('\n\n')}
`
  return { path: 'reference/events', markdown }
}
