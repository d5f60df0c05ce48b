import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'
import { dataOf, named } from '../fields/pagination.ts'

const ledgerDiscrepancy = named(
  'LedgerDiscrepancy',
  z
    .object({
      kind: z.string().meta({ description: 'What kind of discrepancy it is.', examples: ['position'] }),
      id: z.string().meta({ description: 'The row.' }),
      expected: z.string().meta({ description: 'What follows from the ledger entries.', examples: ['25000'] }),
      found: z.string().meta({ description: 'What the row says.', examples: ['24999'] }),
    })
    .describe('A row that does not match the ledger.'),
)

/** The result of checking the whole ledger. */
export const ledgerCheck = named(
  'LedgerCheck',
  z
    .object({
      ok: z.boolean().describe('Whether everything matches.'),
      entries: z.int().meta({ description: 'How many ledger entries were checked.', examples: [42] }),
      transactions: z.int().meta({ description: 'How many transactions were checked.', examples: [10] }),
      first_fault: ledgerDiscrepancy.nullable().describe('The first row that does not match; `null` if all do.'),
    })
    .describe('The result of checking the ledger.'),
)

export const ledgerOperations = {
  check: operation({
    service: 'transactions',
    tenant: false,
    tag: { name: 'Ledger', description: 'Whether every amount follows from the ledger entries. For operators.' },
    audit: 'payment',
    area: 'money',
    callers: callerSets.operators,
    id: 'checkLedger',
    summary: 'Check the ledger',
    description:
      'Checks that debits equal credits, and that transactions, settlements and balances follow from the ledger entries. Changes nothing.',
    method: 'GET',
    path: '/api/ledger/check',
    response: dataOf(ledgerCheck),
  }),
}
