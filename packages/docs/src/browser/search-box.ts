import { findPages, type SearchEntry, searchIndexOf } from '../search/search-index.ts'
import { announce } from './announce.ts'
import { type ResultList, resultList } from './result-list.ts'

type Find = (query: string) => SearchEntry[]

/** Makes the search box work: Ctrl K focuses it, the arrow keys choose, Enter opens, Escape closes. */
export function addSearch(): void {
  const box = document.querySelector<HTMLElement>('.search')
  const input = box?.querySelector('input')
  const list = box?.querySelector('ul')
  if (!box || !input || !list) return
  box.hidden = false
  const results = resultList(input, list)
  const loadIndex = indexLoader()

  const show = async () => {
    const query = input.value.trim()
    if (query === '') return results.close()
    const find = await loadIndex().catch(() => undefined)
    // A later key has changed it.
    if (input.value.trim() !== query) return
    const found = find?.(query) ?? []
    results.show(found)
    announce(find ? `${found.length} found` : 'The search is not available.')
  }
  input.addEventListener('input', () => void show())
  input.addEventListener('focus', () => void loadIndex().catch(() => undefined))
  input.addEventListener('keydown', event => chooseByKey(event, results))
  for (const event of ['click', 'focusin'])
    document.addEventListener(event, ({ target }) => {
      if (target instanceof Node && !box.contains(target)) results.close()
    })
  // With a modifier, since people who dictate would press a single key by accident.
  document.addEventListener('keydown', event => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    input.focus()
  })
}

function chooseByKey(event: KeyboardEvent, results: ResultList): void {
  const actions: Record<string, () => void> = {
    ArrowDown: () => results.move(1),
    ArrowUp: () => results.move(-1),
    Enter: results.open,
    Escape: results.close,
  }
  const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined
  if (!action) return
  event.preventDefault()
  action()
}

/** Returns a function that loads the index once. After a failure, the next call tries again. */
function indexLoader(): () => Promise<Find> {
  let loading: Promise<Find> | undefined
  return () => {
    loading ??= fetchIndex().catch(error => {
      loading = undefined
      throw error
    })
    return loading
  }
}

async function fetchIndex(): Promise<Find> {
  const response = await fetch(document.body.dataset.searchIndex ?? '')
  if (!response.ok) throw new Error(`The search index: ${response.status}`)
  const index = searchIndexOf((await response.json()) as SearchEntry[])
  return query => findPages(index, query)
}
