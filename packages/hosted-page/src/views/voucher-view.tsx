import { formatAmount } from '@cobro/look/formats'
import type { Voucher } from '../api/hosted-api.ts'
import { isCopied } from '../state/page-state.ts'
import { formatDue, groupsOf } from '../text/formats.ts'
import { BarCode } from './bar-code.tsx'
import { CancelButton } from './cancel-dialog.tsx'
import { NoticeBox } from './notice-box.tsx'
import type { SessionProps } from './page-props.ts'

/** The voucher that the payer takes to the store, on screen or printed. */
export function VoucherView(props: SessionProps & { voucher: Voucher }) {
  const { text, locale, session, actions, voucher } = props
  const { title, text: sentence } = text.screens.voucher
  return (
    <section class="voucher" aria-labelledby="title">
      <h2 id="title" tabIndex={-1}>
        {title}
      </h2>
      <NoticeBox {...props} />
      <p class="voucher-how">{sentence}</p>
      <Reference {...props} />
      <BarCode code={voucher.barcode} label={text.voucher.barcode(voucher.barcode)} />
      <dl class="facts">
        <Fact print name={text.voucher.merchant} value={session.merchant_name} />
        {session.concepto && <Fact print name={text.voucher.concept} value={session.concepto} />}
        {session.reference && <Fact print name={text.voucher.merchantReference} value={session.reference} />}
        <Fact name={text.voucher.amount} value={formatAmount(session.amount_total, session.currency, locale)} />
        <Fact name={text.voucher.due} value={formatDue(voucher.due_at, locale)} note={text.voucher.dueZone} />
      </dl>
      <button type="button" class="plain-button" onClick={actions.print}>
        {text.voucher.print}
      </button>
      <p class="voucher-waiting">
        <span class="pulse" aria-hidden="true" />
        {text.voucher.waiting}
      </p>
      <CancelButton {...props} />
    </section>
  )
}

function Reference({ state, text, actions, voucher }: SessionProps & { voucher: Voucher }) {
  return (
    <div class="reference">
      <p class="reference-label" id="reference-label">
        {text.voucher.reference}
      </p>
      <p class="reference-digits" id="reference" data-reference={voucher.reference}>
        {groupsOf(voucher.reference).map((group, i) => (
          <span key={i}>{group}</span>
        ))}
      </p>
      <button type="button" class="plain-button copy-button" onClick={actions.copy} aria-describedby="reference-label">
        {isCopied(state) ? text.copied : text.voucher.copy}
      </button>
    </div>
  )
}

interface FactProps {
  name: string
  value: string
  note?: string
  /** Printed only: on screen it is elsewhere on the page. */
  print?: boolean
}

function Fact({ name, value, note, print = false }: FactProps) {
  return (
    <div class={print ? 'fact print-only' : 'fact'}>
      <dt>{name}</dt>
      <dd>
        {value}
        {note && <small>{note}</small>}
      </dd>
    </div>
  )
}
