import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { placeOf, targetOf } from '../address/destination.ts'
import { paymentQueriesOf } from '../address/payment-query.ts'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'
import { usePreferences } from '../api/use-preferences.ts'
import { useTexts } from '../text/locale.tsx'
import { overlayTexts } from '../text/overlay-texts.ts'
import { shellTexts } from '../text/shell-texts.ts'
import { type Entry, PickList } from './pick-list.tsx'
import { useCreateLink, useSections } from './sections.ts'
import { findPayments, useFound } from './use-found.ts'
import { useOnlyLatest } from './use-only-latest.ts'
import { hasWords } from './words.ts'

/** Goes to screens, runs actions and finds objects: paste, Enter. */
export function Palette({ close }: { close: () => void }) {
  const shell = useTexts(shellTexts)
  const [text, setText] = useState('')
  const places = usePlaces(text, close)
  const { begin, stop } = useOnlyLatest()
  const meant = useMeant(text, close, begin)
  const { found, isBusy, hasFailed } = useFound(text)
  const { scope } = useMe()
  const navigate = useNavigate()
  const results = found.map(({ to, id, ...shown }) => ({
    ...{ id, ...shown },
    run: () => {
      close()
      void navigate({ to, params: { scope, id } })
    },
  }))
  return (
    <PickList
      label={shell.find}
      hint={shell.findHint}
      text={text}
      change={next => {
        stop()
        setText(next)
      }}
      entries={[...places, ...meant, ...results]}
      isBusy={isBusy}
      hasFailed={hasFailed}
    />
  )
}

/** Returns the screens and actions whose names have a text; without a text, all. */
function usePlaces(text: string, close: () => void): Entry[] {
  const shell = useTexts(shellTexts)
  const texts = useTexts(overlayTexts)
  const { scope } = useMe()
  const navigate = useNavigate()
  const sections = useSections()
  const createLink = useCreateLink()
  const { data: preferences } = usePreferences()
  const place = (id: string, title: string, keys: string | undefined, go: () => void): Entry => ({
    ...{ id, title, group: id === 'new link' ? texts.actions : texts.screens },
    detail: preferences?.shortcuts && keys,
    run: () => {
      close()
      go()
    },
  })
  const places = [
    ...(createLink ? [place('new link', shell.newLink, 'n l', createLink)] : []),
    ...sections.map(({ to, text: name, key }) =>
      place(to, shell[name], key && `g ${key}`, () => void navigate({ to, params: { scope }, search: {} })),
    ),
  ]
  return places.filter(({ title }) => hasWords(title, text))
}

/** Returns what Enter does with a text: it opens what an id leads to, or the payment that has the text, or else their list. */
function useMeant(text: string, close: () => void, begin: () => AbortSignal): Entry[] {
  const { search, openId, searchPayments, searchCard } = useTexts(overlayTexts)
  const { scope, may } = useMe()
  const navigate = useNavigate()
  const place = placeOf(text)
  if (!text.trim() || !may(place?.needs ?? 'listTransactions')) return []
  if (place) {
    const open = async () => {
      const signal = begin()
      await navigate(targetOf(place, scope))
      if (!signal.aborted) close()
    }
    return [{ id: 'meant', group: search, title: openId(text.trim().replace(/^.*\//, '')), run: () => void open() }]
  }
  const find = async (queries: readonly Search[]) => {
    const signal = begin()
    // A failure is shown by the list, which asks again.
    const found = await findPayments(scope, queries, 2, signal).catch(() => ({ query: queries[0], payments: [] }))
    // The palette was closed or the text changed: the answer does not lead away from what is shown.
    if (signal.aborted) return
    const [only, ...others] = found.payments
    if (only && others.length === 0) await navigate({ to: '/$scope/payments/$id', params: { scope, id: only.id } })
    else await navigate({ to: '/$scope/payments', params: { scope }, search: found.query ?? {} })
    if (!signal.aborted) close()
  }
  const queries = paymentQueriesOf(text)
  return queries.map((query, index) => ({
    ...{ id: index === 0 ? 'meant' : `meant ${index}`, group: search },
    title: query.search === undefined ? searchCard(text.trim()) : searchPayments(text.trim()),
    run: () => void find(queries.slice(index)),
  }))
}
