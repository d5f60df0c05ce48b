import type { Sucursal, Terminal } from '@cobro/sdk/admin'
import { branchDraft, branchInput, terminalDraft, terminalInput } from './branch-input.ts'

const branch = {
  ...{ name: 'Centro', phone: null, status: 'inactive' },
  address: { street: 'Orizaba 12', country: 'MX' },
} as Sucursal

test('a form changes what it shows of a branch, and leaves the rest', () => {
  const draft = branchDraft(branch)
  expect(draft).toMatchObject({ name: 'Centro', street: 'Orizaba 12', city: '', phone: '', status: 'inactive' })
  expect(branchInput({ ...draft, city: ' Ciudad de México ', street: '' }, branch)).toEqual({
    ...{ name: 'Centro', phone: null, status: 'inactive' },
    address: { street: null, city: 'Ciudad de México', state: null, postal_code: null, country: 'MX' },
  })
})

test('a new branch whose address is unknown has none', () => {
  expect(branchInput({ ...branchDraft(), name: ' Centro ' })).toEqual({
    ...{ name: 'Centro', phone: null, status: 'active', address: null },
  })
})

test('a terminal without a model or branch has neither', () => {
  const terminal = { name: 'Caja 1', serial: 'SN-1', model: 'P400', sucursal_id: 'suc_1', status: 'active' } as Terminal
  expect(terminalInput(terminalDraft(terminal))).toEqual(terminal)
  expect(terminalInput({ ...terminalDraft(), name: 'Caja 2 ', serial: ' SN-2' })).toEqual({
    ...{ name: 'Caja 2', serial: 'SN-2', model: null, sucursal_id: null, status: 'active' },
  })
})
