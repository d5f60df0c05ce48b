import type { SavedView } from '@cobro/sdk/admin'
import { areSame, viewsOf, withoutView, withView } from './saved-views.ts'

const declined: SavedView = { list: 'payments', name: 'Declined', search: 'status=declined,failed' }
const open: SavedView = { list: 'links', name: 'Declined', search: 'status=open' }

test('a view that was saved has the filters of its list again', () => {
  const filters = { search: 'ana & co, 50% =', status: 'declined,failed' }
  const views = withView([declined, open], 'payments', { name: 'Ana', filters })
  expect(viewsOf(views, 'payments')).toEqual([
    { name: 'Declined', filters: { status: 'declined,failed' } },
    { name: 'Ana', filters },
  ])
  expect(viewsOf(views, 'keys')).toEqual([])
})

test('a view is removed from its list alone', () => {
  expect(withoutView([declined, open], 'payments', 'Declined')).toEqual([open])
})

test.each([
  [{ status: 'paid', search: 'x' }, { search: 'x', status: 'paid' }, true],
  [{ status: 'paid', search: '' }, { status: 'paid' }, true],
  [{}, {}, true],
  [{ status: 'paid' }, { status: 'paid,failed' }, false],
  [{ status: 'paid' }, {}, false],
])('%j and %j are the same: %j', (one, other, same) => {
  expect(areSame(one as Record<string, string>, other as Record<string, string>)).toBe(same)
})
