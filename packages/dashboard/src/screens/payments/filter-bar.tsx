import { type FormEvent, useState } from 'react'
import { Button } from 'react-aria-components'
import type { Search } from '../../address/search.ts'
import buttons from '../../parts/buttons.module.css'
import { useTexts } from '../../text/locale.tsx'
import { paymentsTexts } from '../../text/payments-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import { filtersOf } from './payment-filters.ts'
import styles from './payments.module.css'

interface FilterBarProps {
  search: Search
  change: (filters: Search) => void
}

/** The filters of the list, as the address has them. A change shows the first page. */
export function FilterBar({ search, change }: FilterBarProps) {
  const texts = useTexts(paymentsTexts)
  const words = useTexts(statusTexts)
  const filters = filtersOf(search)
  const [text, setText] = useState(filters.search ?? '')
  const set = (name: string, value: string) => change({ ...filters, [name]: value })
  const find = (event: FormEvent) => {
    event.preventDefault()
    set('search', text.trim())
  }
  const clear = () => {
    setText('')
    change({})
  }
  return (
    <search>
      <form className={styles.filters} onSubmit={find}>
        <label className={styles.wide}>
          {texts.search}
          <input
            type="search"
            value={text}
            placeholder={texts.searchHint}
            maxLength={200}
            onChange={event => setText(event.target.value)}
          />
        </label>
        <Choice label={texts.status} words={words.payment} value={filters.status} choose={set.bind(null, 'status')} />
        <Choice
          label={texts.refund}
          words={words.refund}
          value={filters.refund_status}
          choose={set.bind(null, 'refund_status')}
        />
        <Choice
          label={texts.method}
          words={words.method}
          value={filters.payment_method}
          choose={set.bind(null, 'payment_method')}
        />
        <label>
          {texts.from}
          <input type="date" value={filters.from ?? ''} onChange={event => set('from', event.target.value)} />
        </label>
        <label>
          {texts.to}
          <input type="date" value={filters.to ?? ''} onChange={event => set('to', event.target.value)} />
        </label>
        {Object.keys(filters).length > 0 && (
          <Button className={buttons.plain} onPress={clear}>
            {texts.clear}
          </Button>
        )}
      </form>
    </search>
  )
}

interface ChoiceProps {
  label: string
  words: Record<string, string>
  value: string | undefined
  choose: (value: string) => void
}

/** One of the values of a field, or all. An address may have several with commas, which are then a choice of their own. */
function Choice({ label, words, value = '', choose }: ChoiceProps) {
  const texts = useTexts(paymentsTexts)
  const several = value.includes(',') && value.split(',').map(one => words[one] ?? one)
  return (
    <label>
      {label}
      <select value={value} onChange={event => choose(event.target.value)}>
        <option value="">{texts.any}</option>
        {several && <option value={value}>{several.join(', ')}</option>}
        {Object.entries(words).map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
