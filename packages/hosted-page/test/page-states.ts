import type { HostedPayable } from '@cobro/contracts'
import type { Page } from 'playwright-core'
import type { Offer } from './offer.ts'
import { linkPayable, payable, readAt, sampleVoucher } from './payables.ts'
import { typeCard } from './payer-browser.ts'
import { approved, declined, failed, type PaymentScript, pending, refused } from './payment-scripts.ts'

/** A state of the page: the payable, and the steps that lead to the state. */
export interface PageState {
  readonly offer: HostedPayable
  /** The outcome of the payment that `steps` makes. */
  readonly script?: PaymentScript
  /** The response to both the read and the stream. */
  readonly status?: number | 'silent'
  /** Set when the address belongs to no session or link. */
  readonly path?: string
  readonly steps?: (page: Page, offer: Offer) => Promise<unknown>
  /** A selector that matches once the page shows this state. */
  readonly shows: string
}

const items: HostedPayable['line_items'] = [
  { name: 'Café de Chiapas, tueste medio, 500 g', quantity: 2, unit_price: 24_500 },
  { name: 'Prensa francesa', quantity: 1, unit_price: 64_000 },
  { name: 'Envío', quantity: 1, unit_price: 12_000 },
]

const manyItems = Array.from({ length: 9 }, (_, i) => ({
  name: `Taza esmaltada número ${i + 1}`,
  quantity: i + 1,
  unit_price: 9_900,
}))

/** The URL of the merchant's logo: the only external host that the page contacts. */
export const logoUrl = 'https://logo.example/logo.svg'

const long =
  'Distribuidora Internacional de Productos Agropecuarios y Ganaderos del Valle de Tlaxcala, S.A.P.I. de C.V.'
const unbroken = 'https://tienda.example/'.padEnd(120, 'x')

const pay = (page: Page) => page.locator('.pay-button').click()
const payByCard = async (page: Page) => {
  await typeCard(page)
  await pay(page)
}

const card: Record<string, PageState> = {
  loading: { offer: payable(), status: 'silent', shows: '.skeleton' },
  'card-form': { offer: payable(), shows: '#number' },
  'card-form-english': { offer: payable({ locale: 'en' }), shows: 'html[lang=en] #number' },
  'card-form-production': {
    offer: payable({ environment: 'production', payer_email: 'ana@example.com' }),
    shows: '#number',
  },
  'card-typed': { offer: payable(), steps: page => typeCard(page), shows: '#number' },
  'field-errors': { offer: payable(), steps: pay, shows: '#cvc[aria-invalid=true]' },
  'field-errors-english': { offer: payable({ locale: 'en' }), steps: pay, shows: '#cvc[aria-invalid=true]' },
  declined: {
    offer: payable(),
    script: declined('insufficient_funds', 9),
    steps: payByCard,
    shows: '[data-notice=declined]',
  },
  'last-attempt': {
    offer: payable({ attempts_left: 2, locale: 'en' }),
    script: declined('call_issuer', 1),
    steps: payByCard,
    shows: '[data-notice=declined]',
  },
  failed: { offer: payable(), script: failed, steps: payByCard, shows: '[data-notice=failed]' },
  'too-many-calls': {
    offer: payable(),
    script: refused(429, 'rate_limited', { 'Retry-After': '60' }),
    steps: payByCard,
    shows: '[data-notice=rate_limited]',
  },
  'amount-changed': {
    offer: payable(),
    script: { ...refused(409, 'conflict: amount_cents'), change: { amount_total: 135_000 } },
    steps: payByCard,
    shows: '[data-notice=amount_changed]',
  },
  sending: { offer: payable(), script: {}, steps: payByCard, shows: '.pay-button[aria-disabled=true]' },
  'cancel-dialog': {
    offer: payable(),
    steps: page => page.locator('.quiet-button').click(),
    shows: 'dialog[open]',
  },
  'last-minute': { offer: payable({ expires_at: readAt + 55_000 }), shows: '#number' },
}

const twoMethods: HostedPayable['payment_method_types'] = ['card', 'cash']

const withVoucher = (changes: Partial<HostedPayable> = {}): HostedPayable =>
  payable({
    payment_method_types: twoMethods,
    voucher: sampleVoucher,
    had_voucher: true,
    expires_at: Date.parse(sampleVoucher.due_at),
    ...changes,
  })

const cash: Record<string, PageState> = {
  'cash-form': { offer: payable({ payment_method_types: ['cash'] }), shows: '.steps' },
  'both-methods': { offer: payable({ payment_method_types: twoMethods }), shows: '#method-card:checked' },
  'cash-chosen': {
    offer: payable({ payment_method_types: twoMethods, locale: 'en' }),
    steps: page => page.locator('#method-cash').check(),
    shows: '.steps',
  },
  voucher: { offer: withVoucher(), shows: '[data-screen=voucher]' },
  'voucher-english': { offer: withVoucher({ locale: 'en', line_items: items }), shows: '[data-screen=voucher]' },
  'voucher-printed': {
    offer: withVoucher({ concepto: 'Anticipo de la mesa de nogal' }),
    steps: page => page.emulateMedia({ media: 'print' }),
    shows: '[data-screen=voucher]',
  },
  // A payable that has ended no longer includes its voucher.
  'voucher-expired': {
    offer: withVoucher({ status: 'expired', transaction_status: 'Expired', voucher: null }),
    shows: '[data-screen=expired]',
  },
  'voucher-cancelled': {
    offer: withVoucher({ status: 'cancelled', transaction_status: 'Cancelled', voucher: null }),
    shows: '[data-screen=cancelled]',
  },
}

const summary: Record<string, PageState> = {
  'line-items': { offer: payable({ line_items: items }), shows: '.items' },
  'many-line-items': {
    offer: payable({ line_items: manyItems, amount_total: 445_500 }),
    steps: page => page.locator('details summary').click(),
    shows: 'details[open] .items',
  },
  'line-items-hidden': { offer: payable({ line_items: items, hide_line_items: true }), shows: '#number' },
  adjustment: {
    offer: payable({ line_items: items, amount_total: 112_500, adjustment_cents: -12_500 }),
    shows: '.item-adjustment',
  },
  link: { offer: linkPayable(), shows: '.concepto' },
  'merchant-logo': { offer: payable({ logo_url: logoUrl }), shows: '.monogram img' },
  'brand-white': { offer: payable({ brand_color: '#ffffff' }), shows: '#number' },
  'brand-black': { offer: payable({ brand_color: '#000000' }), shows: '#number' },
  'brand-yellow': { offer: payable({ brand_color: '#ffee00' }), shows: '#number' },
  'long-words': {
    offer: linkPayable({
      merchant_name: long,
      concepto: `${long} ${unbroken}`,
      reference: 'R'.repeat(64),
      amount_total: 99_999_999_999,
      currency: 'USD',
      line_items: [
        { name: unbroken, quantity: 1_000_000, unit_price: 99_999 },
        { name: long, quantity: 1, unit_price: 999_999 },
      ],
    }),
    shows: '#number',
  },
}

const outcomes: Record<string, PageState> = {
  'long-words-paid': {
    offer: payable({
      status: 'completed',
      transaction_status: 'Approved',
      merchant_name: unbroken,
      redirect_url: logoUrl,
    }),
    shows: '[data-screen=completed]',
  },
  'link-blocked': {
    offer: linkPayable({ transaction_status: 'Declined', attempts_left: 0, retry_at: readAt + 14 * 60_000 }),
    shows: '[data-screen=blocked]',
  },
  processing: { offer: payable({ in_progress: true }), shows: '[data-screen=processing]' },
  'outcome-pending': { offer: payable(), script: pending, steps: payByCard, shows: '[data-screen=processing]' },
  'just-paid': { offer: payable(), script: approved, steps: payByCard, shows: '[data-screen=completed]' },
  paid: {
    offer: payable({
      status: 'completed',
      transaction_status: 'Approved',
      redirect_url: 'https://shop.example/thanks?session_id=cs_1&status=completed',
    }),
    shows: '[data-screen=completed]',
  },
  'link-paid': {
    offer: linkPayable({ status: 'completed', transaction_status: 'Approved' }),
    shows: '[data-screen=completed]',
  },
  expired: {
    offer: payable({ status: 'expired', transaction_status: 'Expired', redirect_url: 'https://shop.example/' }),
    shows: '[data-screen=expired]',
  },
  cancelled: {
    offer: payable({ status: 'cancelled', transaction_status: 'Cancelled', redirect_url: 'https://shop.example/' }),
    shows: '[data-screen=cancelled]',
  },
  'attempts-used-up': {
    offer: payable({ status: 'cancelled', transaction_status: 'Declined', attempts_left: 0 }),
    shows: '[data-screen=cancelled]',
  },
  'merchant-disabled': { offer: payable({ merchant_status: 'disabled' }), shows: '[data-screen=merchant_disabled]' },
  'not-found': { offer: payable(), path: '/checkout/cs_01jz00000000000000000none', shows: '[data-screen=not_found]' },
  offline: {
    offer: payable(),
    steps: async page => {
      await page.locator('#number').waitFor()
      await page.context().setOffline(true)
    },
    shows: '.cut-off',
  },
  'payment-refunded': {
    offer: payable({ status: 'completed', transaction_status: 'Refunded' }),
    shows: '[data-screen=completed]',
  },
  unavailable: { offer: payable(), status: 503, shows: '[data-screen=unavailable]' },
}

const inTheDark = (page: Page) => page.emulateMedia({ colorScheme: 'dark' })

const dark: Record<string, PageState> = {
  'card-form-dark': { offer: payable({ line_items: items }), steps: inTheDark, shows: '#number' },
  'field-errors-dark': {
    offer: payable({ brand_color: '#000000' }),
    steps: async page => {
      await inTheDark(page)
      await pay(page)
    },
    shows: '#cvc[aria-invalid=true]',
  },
  'declined-dark': {
    offer: payable({ brand_color: '#ffffff' }),
    script: declined('insufficient_funds', 1),
    steps: async page => {
      await inTheDark(page)
      await payByCard(page)
    },
    shows: '[data-notice=declined]',
  },
  'voucher-dark': { offer: withVoucher(), steps: inTheDark, shows: '[data-screen=voucher]' },
  'paid-dark': {
    offer: payable({ status: 'completed', transaction_status: 'Approved' }),
    steps: inTheDark,
    shows: '[data-screen=completed]',
  },
}

export const pageStates: Record<string, PageState> = { ...card, ...cash, ...summary, ...outcomes, ...dark }
