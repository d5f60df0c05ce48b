import type { SavedView } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { curlOf, listFacts } from '../address/list-facts.ts'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'
import { listTexts } from '../text/list-texts.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'
import { CodeBlock } from './code-block.tsx'
import { CopyButton } from './copy-button.tsx'
import { type Choice, type Digits, useBoundWords } from './filter-bar.tsx'
import { Message } from './states.tsx'

interface FirstUseProps {
  name: SavedView['list']
  texts: { empty: string; emptyHint: string }
}

/**
 * What a list says that has never had a row: what it is, where its rows come from, and the call that makes one. The button that makes
 * one here stands beside the title, as its dialog has to outlive this state.
 */
export function FirstUse({ name, texts }: FirstUseProps) {
  const shared = useTexts(listTexts)
  const sections = useTexts(shellTexts)
  const { scope, may } = useMe()
  const { source, call } = listFacts[name]
  const curl = curlOf(call, location.origin)
  return (
    <Message title={texts.empty}>
      <span>{texts.emptyHint}</span>
      {source && may(listFacts[source].needs) && (
        <Link className={buttons.primary} to={`/$scope/${source}`} params={{ scope }} search={{}}>
          {shared.goTo(sections[source])}
        </Link>
      )}
      <span>{shared.withApi}</span>
      <CodeBlock text={curl} />
      <CopyButton text={curl} />
    </Message>
  )
}

interface FilteredEmptyProps {
  filters: Search
  choices: readonly (Choice | Digits)[]
  show: (search: Search) => void
}

/** What a list says that has no row for the filters of the address, which it names. */
export function FilteredEmpty({ filters, choices, show }: FilteredEmptyProps) {
  const texts = useTexts(listTexts)
  const { from, to, ...others } = filters
  const labels: Record<string, string> = { search: texts.search, from: texts.from, to: texts.to }
  const boundWord = useBoundWords()
  const wordsOf = (name: string, value: string) => {
    if (name === 'from' || name === 'to') return `${labels[name]}: ${boundWord(value)}`
    const choice = choices.find(one => one.name === name)
    const words: Readonly<Record<string, string>> = choice && 'words' in choice ? choice.words : {}
    const said = value.split(',').map(one => words[one] ?? one)
    return `${choice?.label ?? labels[name]}: ${said.join(', ')}`
  }
  return (
    <Message title={texts.filteredEmpty}>
      {Object.entries(filters).map(([name, value]) => (
        <span key={name}>{wordsOf(name, value)}</span>
      ))}
      {(from || to) && (
        <Button className={buttons.plain} onPress={() => show(others)}>
          {texts.allDays}
        </Button>
      )}
      <Button className={buttons.plain} onPress={() => show({})}>
        {texts.clear}
      </Button>
    </Message>
  )
}
