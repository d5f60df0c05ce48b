import { z } from 'zod'
import { operation } from '../operation.ts'
import { dataOf } from '../pagination.ts'

/** What a look through the whole ledger found. */
export const ledgerCheck = z.object({
  ok: z.boolean(),
  /** How many entries and transactions were looked at. */
  entries: z.int(),
  transactions: z.int(),
  /** The first row that does not fit; null where all do. */
  first_fault: z.object({ kind: z.string(), id: z.string(), expected: z.string(), found: z.string() }).nullable(),
})

export const ledgerOperations = {
  check: operation({
    service: 'transactions',
    tenant: false,
    id: 'checkLedger',
    summary: 'Checks that debits equal credits and that every figure follows from the entries',
    method: 'GET',
    path: '/api/ledger/check',
    response: dataOf(ledgerCheck),
  }),
}
