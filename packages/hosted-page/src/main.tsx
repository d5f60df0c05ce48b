import { render } from 'preact'
import { apiAddress, webAddress } from './api/hosted-address.ts'
import { hostedApi } from './api/hosted-api.ts'
import { watchSession } from './api/watch-session.ts'
import { encryptCard } from './encrypt-card.ts'
import { brandColors } from './look/brand-colors.ts'
import { cancel, pay, refresh } from './state/page-actions.ts'
import { focusAfter, saidAfter, titleOf } from './state/page-signals.ts'
import { initialState, localeOf, needsWatching, type PageState, screenOf } from './state/page-state.ts'
import { pageStore } from './state/page-store.ts'
import { messages, preferredLocale } from './text/messages.ts'
import { Page } from './views/page.tsx'
import type { PageProps } from './views/page-props.ts'

/** Long enough to read that the payment was made, short enough not to be in the way. */
const leaveAfterMs = 1500

const root = document.getElementById('page') as HTMLElement
const said = document.getElementById('said') as HTMLElement
const address = apiAddress(location.pathname)
const clock = () => Date.now()
const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

const api = hostedApi({ fetch: fetch.bind(globalThis) }, address ?? '')
const store = pageStore(initialState(preferredLocale(navigator.languages), clock()), show)
const deps = { api, store, encryptCard, wait, clock, newKey: () => crypto.randomUUID() }

const actions: PageProps['actions'] = {
  type: (field, value) => store.move({ type: 'typed', field, value }),
  leave: field => store.move({ type: 'left', field }),
  pay: () => void pay(deps),
  cancel: () => void cancel(deps),
  retry: () => void refresh(deps),
}

let stopWatching: (() => void) | undefined

function show(state: PageState, before: PageState): void {
  if (screenOf(state) === 'loading') return
  draw(state, before)
  if (needsWatching(state)) stopWatching ??= watch()
  else stopWatching = void stopWatching?.()
  if (state.leaving && !before.leaving) setTimeout(leave, leaveAfterMs)
}

function draw(state: PageState, before: PageState): void {
  const locale = localeOf(state)
  const colors = brandColors(state.session?.brand_color ?? null)
  document.documentElement.lang = locale
  document.title = titleOf(state)
  if (colors) {
    document.documentElement.style.setProperty('--brand', colors.background)
    document.documentElement.style.setProperty('--on-brand', colors.text)
  }
  if (screenOf(before) === 'loading') root.replaceChildren()
  render(<Page state={state} text={messages[locale]} locale={locale} actions={actions} />, root)

  const words = saidAfter(state, before)
  if (words) said.textContent = words
  const focused = focusAfter(state, before)
  if (focused) document.getElementById(focused)?.focus()
}

function watch(): () => void {
  return watchSession({ api, wait }, answer => store.move({ type: 'read', answer, at: clock() }))
}

/** Takes the hosted page out of the history, so that Back leads from the merchant's page to the shop, not to here. */
function leave(): void {
  const target = webAddress(store.state().session?.redirect_url)
  if (target) location.replace(target)
}

if (address) {
  void refresh(deps)
  setInterval(() => store.move({ type: 'ticked', at: clock() }), 1000)
  // A page that was left standing, or came back from the browser's cache, may be out of date.
  addEventListener('pageshow', event => event.persisted && void refresh(deps))
  addEventListener('online', () => void refresh(deps))
  document.addEventListener('visibilitychange', () => document.hidden || void refresh(deps))
} else {
  store.move({ type: 'read', answer: { kind: 'not_found' }, at: clock() })
}
