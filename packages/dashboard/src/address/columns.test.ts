import { columnsOf, withColumns } from './columns.ts'

const all = ['amount', 'status', 'id', 'fee']
const usual = ['amount', 'status']

test.each([
  [{}, usual],
  [{ columns: '' }, usual],
  [{ columns: 'unknown' }, usual],
  [{ columns: 'fee,amount,unknown' }, ['amount', 'fee']],
  [{ columns: 'id' }, ['id']],
])('the columns of %j are %j', (search, names) => {
  expect(columnsOf(search as Record<string, string>, all, usual)).toEqual(names)
})

test('an address names columns other than the usual ones, and keeps its filters', () => {
  expect(withColumns({ status: 'declined' }, ['amount', 'id'], usual)).toEqual({
    status: 'declined',
    columns: 'amount,id',
  })
  expect(withColumns({ status: 'declined', columns: 'id' }, ['status', 'amount'], usual)).toEqual({
    status: 'declined',
    columns: '',
  })
})
