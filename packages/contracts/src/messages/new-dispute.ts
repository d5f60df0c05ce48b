import { event } from '../declarations/event.ts'
import { id } from '../fields/ids.ts'
import { disputes } from '../resources/disputes.ts'

const about = { transaction_id: true, amount_cents: true, currency: true, due_by: true } as const

/** A new dispute, which the gateway reports by mail. What it is about is absent in events of the release before. */
export const ofNewDispute = event({
  data: disputes.row
    .pick(about)
    .partial()
    .extend({ id: id('dsp') }),
  category: 'payment',
  webhook: false,
  publishers: ['transactions'],
  consumers: ['gateway'],
})
