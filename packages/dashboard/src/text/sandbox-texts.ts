import type { TestCard } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface SandboxTexts {
  title: string
  text: string
  cards: string
  cardsHint: string
  number: string
  brand: string
  outcome: string
  outcomes: Record<TestCard['status'], string>
  answers: Record<Exclude<TestCard['answer'], 'prompt'>, string>
  disputed: string
  notRefundable: string
  voucher: string
  voucherHint: string
  reference: string
  referenceHint: string
  pay: string
  payReference: (reference: string) => string
  paid: (reference: string) => string
  failed: string
  toPayments: string
}

const es: SandboxTexts = {
  title: 'Pruebas',
  text: 'Aquí no se mueve dinero. Paga como lo haría un cliente y mira qué pasa.',
  cards: 'Tarjetas de prueba',
  cardsHint: 'Sirven con cualquier vencimiento futuro y cualquier código de seguridad.',
  number: 'Número',
  brand: 'Marca',
  outcome: 'Qué pasa',
  outcomes: {
    approved: 'Se aprueba.',
    declined: 'Se rechaza:',
    failed: 'Falla por un problema técnico.',
    processing: 'Queda en proceso.',
  },
  answers: { slow: 'Tarda 15 segundos.', cut: 'La conexión se corta.' },
  disputed: 'Se disputa unos segundos después.',
  notRefundable: 'Su reembolso falla.',
  voucher: 'Pagar en efectivo',
  voucherHint: 'Paga la referencia de un cliente como si hubiera ido a la tienda.',
  reference: 'Referencia de pago',
  referenceHint: 'La que muestra la página de pago',
  pay: 'Pagar la referencia',
  payReference: reference => `Pagar la referencia ${reference}`,
  paid: reference => `La referencia ${reference} se pagó.`,
  failed: 'No se pudo pagar.',
  toPayments: 'Ver los pagos en efectivo',
}

const en: SandboxTexts = {
  title: 'Sandbox',
  text: 'No money moves here. Pay as a customer would, and see what happens.',
  cards: 'Test cards',
  cardsHint: 'Any expiry in the future and any security code are correct.',
  number: 'Number',
  brand: 'Brand',
  outcome: 'What happens',
  outcomes: {
    approved: 'It is approved.',
    declined: 'It is declined:',
    failed: 'It fails for a technical reason.',
    processing: 'It stays in progress.',
  },
  answers: { slow: 'It takes 15 seconds.', cut: 'The connection is cut.' },
  disputed: 'It is disputed some seconds later.',
  notRefundable: 'Its refund fails.',
  voucher: 'Pay in cash',
  voucherHint: "Pay a customer's reference as if the customer had gone to the store.",
  reference: 'Payment reference',
  referenceHint: 'The one on the payment page',
  pay: 'Pay the reference',
  payReference: reference => `Pay the reference ${reference}`,
  paid: reference => `The reference ${reference} was paid.`,
  failed: 'It could not be paid.',
  toPayments: 'See the payments in cash',
}

export const sandboxTexts: Texts<SandboxTexts> = { es, en }
