import { preferredLocale } from '@cobro/look/locales'
import { render } from 'preact'
import { followPayable } from './api/follow-payable.ts'
import { apiAddress, webAddress } from './api/hosted-address.ts'
import { hostedApi } from './api/hosted-api.ts'
import { encryptCard } from './cards/encrypt-card.ts'
import { brandColors } from './look/brand-colors.ts'
import { cancel, pay, refresh } from './state/page-actions.ts'
import { announcementAfter, focusAfter, titleOf } from './state/page-signals.ts'
import { initialState, isOpen, localeOf, type PageState, screenOf } from './state/page-state.ts'
import { pageStore } from './state/page-store.ts'
import { messages } from './text/messages.ts'
import { Page } from './views/page.tsx'
import type { PageProps } from './views/page-props.ts'

/** Long enough to read the confirmation, short enough not to delay the payer. */
const leaveAfterMs = 1500

const root = document.getElementById('page') as HTMLElement
const liveRegion = document.getElementById('said') as HTMLElement
const address = apiAddress(location.pathname)
// Goes on evenly when the device's clock is set while the page is open.
const clock = () => performance.timeOrigin + performance.now()
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
  choose: method => store.move({ type: 'chosen', method }),
  copy: () => void copyReference(),
  print: () => print(),
}

let stopFollowing: (() => void) | undefined

function show(state: PageState, before: PageState): void {
  if (screenOf(state) === 'loading') return
  draw(state, before)
  if (isOpen(state)) stopFollowing ??= follow()
  else stopFollowing = void stopFollowing?.()
  // The pause ends by the clock, without a change event, so read the remaining attempts.
  if (screenOf(before) === 'blocked' && screenOf(state) === 'form') void refresh(deps)
  if (state.leaving && !before.leaving) setTimeout(leave, leaveAfterMs)
}

function draw(state: PageState, before: PageState): void {
  const locale = localeOf(state)
  const colors = brandColors(state.session?.brand_color ?? null)
  document.documentElement.lang = locale
  document.title = titleOf(state)
  if (colors) {
    document.documentElement.style.setProperty('--brand', colors.background)
    document.documentElement.style.setProperty('--brand-hover', colors.hover)
    document.documentElement.style.setProperty('--on-brand', colors.text)
  }
  if (screenOf(before) === 'loading') root.replaceChildren()
  render(<Page state={state} text={messages[locale]} locale={locale} actions={actions} />, root)

  const announcement = announcementAfter(state, before)
  // A message about the previous screen must not stay beside the next one for screen reader users.
  const moved = screenOf(state) !== screenOf(before) || state.activity !== before.activity
  if (announcement || moved) liveRegion.textContent = announcement ?? ''
  const focused = focusAfter(state, before)
  if (focused) document.getElementById(focused)?.focus()
}

function follow(): () => void {
  return followPayable(
    {
      api,
      openStream: () => new EventSource(`${address}/stream`),
      after: (ms, then) => {
        const timer = setTimeout(then, ms)
        return () => clearTimeout(timer)
      },
      random: Math.random,
    },
    answer => store.move({ type: 'read', answer, at: clock() }),
  )
}

/** Copies the voucher's reference, or selects it if the browser denies access to the clipboard. */
async function copyReference(): Promise<void> {
  const reference = document.getElementById('reference')
  if (!reference) return
  try {
    await navigator.clipboard.writeText(reference.dataset.reference ?? '')
    store.move({ type: 'copied' })
  } catch {
    getSelection()?.selectAllChildren(reference)
  }
}

/** Reopens the stream, which may not have noticed the loss of the network. */
function reconnect(): void {
  store.move({ type: 'connection', online: true })
  stopFollowing?.()
  stopFollowing = isOpen(store.state()) ? follow() : undefined
  void refresh(deps)
}

/** Leaves without a history entry, so that Back leads from the merchant's page to the shop. */
function leave(): void {
  const target = webAddress(store.state().session?.redirect_url)
  if (target) location.replace(target)
}

if (address) {
  void refresh(deps)
  setInterval(() => store.move({ type: 'ticked', at: clock() }), 1000)
  // A page that was in the background or in the browser's cache may be out of date.
  addEventListener('pageshow', event => event.persisted && void refresh(deps))
  addEventListener('online', reconnect)
  addEventListener('offline', () => store.move({ type: 'connection', online: false }))
  document.addEventListener('visibilitychange', () => document.hidden || void refresh(deps))
} else {
  store.move({ type: 'read', answer: { kind: 'not_found' }, at: clock() })
}
