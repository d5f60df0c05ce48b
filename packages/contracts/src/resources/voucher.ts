import { z } from 'zod'
import { named } from '../fields/pagination.ts'
import { isoTime } from '../fields/times.ts'

/** A cash voucher: the payer says its reference at the counter or shows its Code 128 barcode. */
export const voucher = named(
  'Voucher',
  z
    .object({
      reference: z.string().meta({ description: 'To say at the counter.', examples: ['93000000104226'] }),
      barcode: z
        .string()
        .meta({ description: 'To scan at the counter, as Code 128.', examples: ['93000000104226112400000025003'] }),
      due_at: isoTime.meta({ description: 'Until when it can be paid.', examples: ['2026-11-25T05:59:59.999Z'] }),
    })
    .describe('A voucher to pay in cash.'),
)
