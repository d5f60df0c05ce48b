import { render } from 'preact'
import { initialState, localeOf } from '../state/page-state.ts'
import { pageStore } from '../state/page-store.ts'
import { messages } from '../text/messages.ts'
import { Page } from '../views/page.tsx'
import { type PreviewedLink, payableOf, readPreviewedLink } from './previewed-link.ts'

/**
 * The payer's page of a link that does not exist yet, in a frame of the dashboard, which says what is on it. It takes no payment:
 * nothing on it can be used, and its policy allows no call.
 */
const root = document.getElementById('page') as HTMLElement
const nothing = () => undefined
const actions = {
  ...{ type: nothing, leave: nothing, choose: nothing, pay: nothing },
  ...{ cancel: nothing, retry: nothing, copy: nothing, print: nothing },
}

function draw(link: PreviewedLink): void {
  const now = Date.now()
  const store = pageStore(initialState(link.locale, now), nothing)
  store.move({ type: 'read', answer: { kind: 'session', session: payableOf(link, now) }, at: now })
  const locale = localeOf(store.state())
  document.documentElement.lang = locale
  render(<Page state={store.state()} text={messages[locale]} locale={locale} actions={actions} />, root)
}

root.inert = true
addEventListener('message', ({ origin, source, data }) => {
  const link = origin === location.origin && source === parent ? readPreviewedLink(data) : undefined
  if (link) draw(link)
})
parent.postMessage('ready', location.origin)
