import { afterMove } from './page-moves.ts'
import { announcementAfter, focusAfter, titleOf } from './page-signals.ts'
import { initialState, type PageState } from './page-state.ts'
import { sampleSession, sampleTime } from './session-sample.ts'

const shown = afterMove(initialState('es', 0), {
  type: 'read',
  answer: { kind: 'session', session: sampleSession() },
  at: sampleTime,
})
const completed: PageState = { ...shown, session: sampleSession({ status: 'completed' }) }
const declined: PageState = { ...shown, notice: { kind: 'declined', reason: 'expired_card' } }
const processing: PageState = { ...shown, activity: 'waiting' }

test('leaves the focus alone on the first render', () => {
  expect(focusAfter(shown, initialState('es', 0))).toBeUndefined()
})

test('moves the focus to the first invalid field of a rejected click', () => {
  const refused = { ...shown, refusals: 1, faults: { cvc: 'cvc_missing', expiry: 'expiry_past' } } as const
  expect(focusAfter(refused, shown)).toBe('expiry')
})

test('moves the focus to a new notice, also when the form reappears with it', () => {
  expect(focusAfter(declined, shown)).toBe('notice')
  expect(focusAfter(declined, processing)).toBe('notice')
  expect(focusAfter({ ...declined, now: 5 }, declined)).toBeUndefined()
})

test('does not move the focus when the total changes by itself', () => {
  const changed: PageState = { ...shown, notice: { kind: 'amount_changed' } }
  expect(focusAfter(changed, shown)).toBeUndefined()
  expect(focusAfter(changed, { ...shown, activity: 'sending' })).toBe('notice')
})

test('announces that the connection is lost, and that it is back', () => {
  const offline: PageState = { ...shown, online: false }
  expect(announcementAfter(offline, shown)).toBe('Sin conexión. Seguimos intentando.')
  expect(announcementAfter(shown, offline)).toBe('De nuevo en línea.')
})

test('announces that the reference was copied', () => {
  expect(announcementAfter({ ...shown, copiedAt: shown.now }, shown)).toBe('Copiada')
})

test('moves the focus to the title of a new screen', () => {
  expect(focusAfter(completed, shown)).toBe('title')
  expect(focusAfter(processing, shown)).toBe('title')
})

test('announces that a payment is being sent', () => {
  expect(announcementAfter({ ...shown, activity: 'sending' }, shown)).toBe('Procesando el pago…')
  const cash: PageState = { ...shown, session: sampleSession({ payment_method_types: ['cash'] }) }
  const sending: PageState = { ...cash, activity: 'sending', sentFrom: cash.session }
  expect(announcementAfter(sending, cash)).toBe('Generando tu referencia…')
})

test('announces once when five minutes and one minute are left', () => {
  const at = (leftMs: number): PageState => ({ ...shown, now: sampleTime + 900_000 - leftMs })
  expect(announcementAfter(at(300_000), at(301_000))).toBe('Quedan 5 minutos para pagar.')
  expect(announcementAfter(at(299_000), at(300_000))).toBeUndefined()
  expect(announcementAfter(at(60_000), at(61_000))).toBe('Queda 1 minuto para pagar.')
})

test('sets the document title to the payment, then to its outcome', () => {
  expect(titleOf(shown)).toBe('Pago a Café Azul')
  expect(titleOf({ ...completed, browserLocale: 'en', leaving: true })).toBe('Payment approved')
  expect(titleOf({ ...completed, browserLocale: 'en' })).toBe('This payment is already made')
})

test('announces no remaining time when the page opens late or its form is closed', () => {
  const late: PageState = { ...shown, now: sampleTime + 800_000 }
  expect(announcementAfter(late, initialState('es', 0))).toBeUndefined()
  const closed: PageState = { ...completed, now: late.now }
  expect(announcementAfter(closed, shown)).toBeUndefined()
})

test('sets the document title to the name of the product until the payment is known', () => {
  expect(titleOf(initialState('es', 0))).toBe('Cobro')
})

const cash = { payment_method_types: ['cash' as const] }
test.each<[string, Partial<PageState>]>([
  ['Estamos confirmando tu pago', { activity: 'waiting' }],
  [
    'Estamos generando tu referencia',
    { activity: 'waiting', session: sampleSession(cash), sentFrom: sampleSession(cash) },
  ],
  ['Este pago fue devuelto', { session: sampleSession({ status: 'completed', transaction_status: 'Refunded' }) }],
  ['El tiempo para pagar terminó', { session: sampleSession({ status: 'expired' }) }],
  ['Tu referencia venció', { session: sampleSession({ status: 'expired', had_voucher: true }) }],
])('the title of the page is %j when the state has %j', (title, changes) => {
  expect(titleOf({ ...shown, ...changes })).toBe(title)
})
