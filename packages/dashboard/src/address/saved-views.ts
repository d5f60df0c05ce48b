import type { SavedView } from '@cobro/sdk/admin'
import { parseSearch, type Search, stringifySearch } from './search.ts'

/** A saved view as the address of its list has it. */
export interface View {
  name: string
  filters: Search
}

/** Returns the views of a list. */
export function viewsOf(views: readonly SavedView[], list: SavedView['list']): View[] {
  return views.filter(view => view.list === list).map(({ name, search }) => ({ name, filters: parseSearch(search) }))
}

/** Returns whether two addresses filter by the same, in whatever order. */
export function areSame(one: Search, other: Search): boolean {
  const texts = [one, other].map(filters =>
    JSON.stringify(
      Object.entries(filters)
        .filter(([, value]) => value)
        .sort(),
    ),
  )
  return texts[0] === texts[1]
}

/** Returns the views with another one of a list at their end. */
export function withView(views: readonly SavedView[], list: SavedView['list'], { name, filters }: View): SavedView[] {
  return [...views, { list, name, search: stringifySearch(filters).slice(1) }]
}

/** Returns the views without one of a list. */
export function withoutView(views: readonly SavedView[], list: SavedView['list'], name: string): SavedView[] {
  return views.filter(view => view.list !== list || view.name !== name)
}
