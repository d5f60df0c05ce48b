import { formatMoment, formatNumber } from '@cobro/look/formats'
import { webAddress } from '../api/hosted-address.ts'
import { formatTimeLeft } from '../text/formats.ts'
import type { SessionProps } from './page-props.ts'
import { TestBadge } from './test-badge.tsx'

/** More items than this are collapsed, so that the form stays in view. */
const itemsShown = 4
/** The number of characters of an amount that fit into one line at full size: up to $99,999.99. */
const ordinaryLength = 10
/** The same for a merchant's name beside the sandbox badge. */
const ordinaryName = 20
const hurryMs = 5 * 60_000
const lastMs = 60_000
/** Beyond a day a date is clearer than a countdown. */
const countedMs = 24 * 3_600_000

/** The merchant, the amount, the items and the remaining time. */
export function OrderSummary(props: SessionProps) {
  const { text, locale, session } = props
  const { merchant_name, amount_total, currency, line_items, hide_line_items } = session
  const shown = !hide_line_items && line_items.length > 0
  const total = formatNumber(amount_total, currency, locale)
  return (
    <section class="summary">
      <Merchant {...props} />
      <h1 class="visually-hidden">{text.payTo(merchant_name)}</h1>
      {session.concepto && <p class="concepto">{session.concepto}</p>}
      {session.reference && <p class="link-reference">{text.reference(session.reference)}</p>}
      <p class="summary-label">{text.total}</p>
      <p class={total.length > ordinaryLength ? 'summary-amount summary-amount-long' : 'summary-amount'}>
        <span class="summary-number">{total}</span> <span class="summary-currency">{currency}</span>
      </p>
      {!session.voucher && <TimeLeft {...props} />}
      {shown && line_items.length > itemsShown && (
        <details class="items-fold">
          <summary>{text.items(line_items.length)}</summary>
          <Items {...props} />
        </details>
      )}
      {shown && line_items.length <= itemsShown && <Items {...props} plain />}
    </section>
  )
}

function TimeLeft({ state, text, locale, session }: SessionProps) {
  const left = session.expires_at - state.now
  if (left > countedMs) return <p class="time-left">{text.dueOn(formatMoment(session.expires_at, locale))}</p>
  const hurry = left <= lastMs ? 'time-left time-last' : 'time-left time-short'
  return (
    <p class={left < hurryMs ? hurry : 'time-left'}>
      {text.timeLeft} <span role="timer">{formatTimeLeft(left)}</span>
    </p>
  )
}

function Merchant(props: SessionProps) {
  const { merchant_name, logo_url } = props.session
  const logo = webAddress(logo_url)
  return (
    <div class={merchant_name.length > ordinaryName ? 'merchant merchant-long' : 'merchant'}>
      <div class="monogram" aria-hidden="true">
        {[...merchant_name][0]?.toUpperCase()}
        {/* If the logo cannot be loaded, the monogram below it stays. */}
        {logo && (
          <img
            src={logo}
            alt=""
            referrerpolicy="no-referrer"
            width="44"
            height="44"
            onError={({ currentTarget }) => currentTarget.remove()}
          />
        )}
      </div>
      <span class="merchant-name">{merchant_name}</span>
      <TestBadge {...props} />
    </div>
  )
}

function Items({ text, locale, session, plain = false }: SessionProps & { plain?: boolean }) {
  const { line_items, adjustment_cents, currency } = session
  const amountOf = (cents: number) => formatNumber(cents, currency, locale)
  return (
    <ul class={plain ? 'items items-plain' : 'items'}>
      {line_items.map(({ name, quantity, unit_price }, i) => (
        <li key={i} class="item">
          <span class="item-name">
            {name}
            {quantity > 1 && <small>{text.quantity(quantity, amountOf(unit_price))}</small>}
          </span>
          <span class="item-price">{amountOf(quantity * unit_price)}</span>
        </li>
      ))}
      {adjustment_cents !== 0 && (
        <li class="item item-adjustment">
          <span class="item-name">{text.adjustment}</span>
          <span class="item-price">{amountOf(adjustment_cents)}</span>
        </li>
      )}
    </ul>
  )
}
