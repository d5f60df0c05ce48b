import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { cobro } from '../api/cobro.ts'
import { useMe } from '../api/use-me.ts'
import { useTexts } from '../text/locale.tsx'
import { overlayTexts } from '../text/overlay-texts.ts'
import { shellTexts } from '../text/shell-texts.ts'
import { type Entry, PickList } from './pick-list.tsx'
import { type RecentScope, recentScopes } from './recent-scopes.ts'
import { isScope } from './scopes.ts'
import { useLate } from './use-late.ts'
import { useListPath } from './use-scope-change.ts'

const limit = 8

/** Lets an operator choose the merchant to act for, or all of them. The section that is shown stays. */
export function ScopeSwitcher({ close }: { close: () => void }) {
  const shell = useTexts(shellTexts)
  const texts = useTexts(overlayTexts)
  const navigate = useNavigate()
  const to = useListPath()
  const [text, setText] = useState('')
  const { choices, isBusy, hasFailed } = useChoices(text.trim())
  const entries = choices.map(
    ({ group, id, name, detail }): Entry => ({
      ...{ id, group, title: name, detail },
      run: () => {
        close()
        void navigate({ to, params: { scope: id }, search: {} })
      },
    }),
  )
  return (
    <PickList
      label={shell.merchant}
      hint={texts.merchantHint}
      text={text}
      change={setText}
      entries={entries}
      isBusy={isBusy}
      hasFailed={hasFailed}
    />
  )
}

/** Returns the scopes that a text finds; without a text, all merchants as one, the recent ones and then others. */
function useChoices(text: string) {
  const shell = useTexts(shellTexts)
  const texts = useTexts(overlayTexts)
  const { me } = useMe()
  const { merchants, ...state } = useMerchants(text)
  const of = (group: string) => (one: RecentScope) => ({ ...one, group, detail: one.id })
  const found = merchants.map(({ id, name }) => ({ id, name }))
  if (text) {
    const isFound = found.some(({ id }) => id === text)
    const pasted = isScope(text) && text !== 'all' && !isFound ? [{ id: text as RecentScope['id'], name: text }] : []
    return { choices: [...pasted, ...found].map(of(texts.merchants)), ...state }
  }
  const recent = me ? recentScopes(me.id, localStorage) : []
  const others = found.filter(({ id }) => !recent.some(one => one.id === id))
  const all = { group: texts.scope, id: 'all', name: shell.allMerchants, detail: undefined }
  return { choices: [all, ...recent.map(of(texts.recent)), ...others.map(of(texts.merchants))], ...state }
}

/** Returns merchants whose names have a text, the first ones by name where it is empty. */
function useMerchants(text: string) {
  const search = useLate(text)
  const { data, isFetching, isError } = useQuery({
    queryKey: ['all', 'merchants to choose', search],
    queryFn: async ({ signal }) => {
      const query = { limit, count: 'none', order: 'name', dir: 'asc', ...(search && { search }) } as const
      return (await cobro.merchants.list(query, { signal })).data
    },
    retry: false,
  })
  return search === text
    ? { merchants: data ?? [], isBusy: isFetching, hasFailed: isError }
    : { merchants: [], isBusy: true, hasFailed: false }
}
