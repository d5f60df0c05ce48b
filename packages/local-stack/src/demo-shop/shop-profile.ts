import type { DeclineReason } from '@cobro/contracts'

type Weighted<T> = readonly (readonly [value: T, weight: number])[]

/** The merchant of the demo data, a bakery that sells on the web and by telephone, and its user. */
export const demoShop = {
  name: 'Panadería La Espiga',
  legal_name: 'La Espiga de la Roma, S.A. de C.V.',
  email: 'client@espiga.test',
} as const

/** What a day of average trade has. */
export const ordersPerDay = 50

/** How trade goes over a day, by hour: nights are quiet, and people order before lunch and in the evening. */
export const hourWeights: Weighted<number> = [
  ...[0.15, 0.06, 0.03, 0.02, 0.04, 0.2, 0.8, 1.8, 2.7, 2.5, 2.1, 2.3],
  ...[3.0, 3.9, 4.1, 3.0, 2.3, 2.7, 3.6, 4.2, 3.7, 2.3, 1.1, 0.45],
].map((weight, hour) => [hour, weight] as const)

/** By day of the week, from Sunday: weekends are strong. */
export const weekdayWeights = [1.28, 0.76, 0.81, 0.87, 0.94, 1.14, 1.42] as const

/** Trade of the last day, compared with that of the first. */
export const growth = 1.35

/** What is sold on the web, with prices in cents and how often it is chosen. */
export const products: Weighted<{ name: string; product_id: string; unit_price: number }> = [
  [{ name: 'Caja de 6 conchas', product_id: 'conchas-6', unit_price: 13_800 }, 20],
  [{ name: 'Caja de 12 panes surtidos', product_id: 'surtido-12', unit_price: 24_500 }, 14],
  [{ name: 'Hogaza de masa madre', product_id: 'hogaza', unit_price: 11_500 }, 16],
  [{ name: 'Baguette', product_id: 'baguette', unit_price: 4_200 }, 10],
  [{ name: 'Café de Chiapas, 500 g', product_id: 'cafe-500', unit_price: 21_900 }, 9],
  [{ name: 'Roles de canela (4)', product_id: 'roles-4', unit_price: 15_600 }, 10],
  [{ name: 'Panqué de elote', product_id: 'panque-elote', unit_price: 16_900 }, 7],
  [{ name: 'Tarta de frutos rojos', product_id: 'tarta-frutos', unit_price: 42_000 }, 5],
  [{ name: 'Pastel de tres leches', product_id: 'tres-leches', unit_price: 56_000 }, 5],
  [{ name: 'Desayuno para dos', product_id: 'desayuno-2', unit_price: 38_900 }, 4],
]

/** What is ordered by telephone and paid by a link, with the least and the highest price in pesos. */
export const commissions: Weighted<readonly [concepto: string, least: number, most: number]> = [
  [['Pastel de cumpleaños', 650, 1_900], 40],
  [['Mesa de postres', 2_400, 6_800], 10],
  [['Box lunch para oficina', 900, 4_200], 20],
  [['Charola de bocadillos', 780, 2_300], 20],
  [['Curso de pan de masa madre', 1_250, 1_251], 10],
]

export const firstNames = [
  ...['Ana', 'Luis', 'María', 'Jorge', 'Sofía', 'Carlos', 'Fernanda', 'Miguel', 'Valeria', 'Diego', 'Daniela', 'José'],
  ...[
    'Paola',
    'Andrés',
    'Lucía',
    'Ricardo',
    'Mariana',
    'Héctor',
    'Gabriela',
    'Emilio',
    'Ximena',
    'Raúl',
    'Elena',
    'Iván',
  ],
] as const

export const lastNames = [
  ...['López', 'Hernández', 'García', 'Martínez', 'Ramírez', 'Torres', 'Flores', 'Vázquez', 'Cruz', 'Morales', 'Reyes'],
  ...['Ortiz', 'Castillo', 'Mendoza', 'Núñez', 'Salazar', 'Aguilar', 'Rojas', 'Delgado', 'Peña', 'Ibarra', 'Fuentes'],
] as const

export const customers = 1_400

export const cardBrands: Weighted<string> = [
  ['visa', 54],
  ['mastercard', 36],
  ['amex', 10],
]

/** How often issuers decline the first attempt of an order, and those after a decline. */
export const declineRates = { first: 0.085, repeated: 0.32 } as const

export const declineShares: Weighted<DeclineReason> = [
  ['insufficient_funds', 34],
  ['do_not_honor', 19],
  ['card_declined', 12],
  ['incorrect_cvc', 9],
  ['expired_card', 7],
  ['limit_exceeded', 6],
  ['call_issuer', 4],
  ['transaction_not_allowed', 3],
  ['issuer_not_available', 2],
  ['restricted_card', 2],
  ['suspected_fraud', 2],
]

/** The share of card payments that fail for a technical reason. */
export const failureRate = 0.007

/** The shares of sessions and links that are never opened, and of those opened that no one tries to pay. */
export const unseenRate = 0.05
export const abandonedRate = 0.14
export const cancelledRate = 0.012

export const linkRate = 0.11
export const cashRate = 0.13
/** The share of vouchers that are paid before they expire. */
export const cashPaidRate = 0.74

export const refundRate = 0.026
/** Which of the refunds, counted from the first, the acquirer refuses. */
export const refusedRefund = 20

/** The disputes: how many days before the end the payment was, why, and how it ended. */
export const disputedPayments = [
  { daysAgo: 78, reason: 'fraudulent', network_reason_code: '10.4', status: 'lost' },
  { daysAgo: 70, reason: 'product_not_received', network_reason_code: '13.1', status: 'won' },
  { daysAgo: 61, reason: 'fraudulent', network_reason_code: '10.4', status: 'lost' },
  { daysAgo: 52, reason: 'duplicate', network_reason_code: '12.6', status: 'won' },
  { daysAgo: 14, reason: 'product_not_received', network_reason_code: '13.1', status: 'open' },
] as const
