import { useEffect, useState } from 'react'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './states.module.css'

const patienceMs = 150

/** The place of what loads, empty for a moment: a flash would distract more than it says. */
export function Loading({ rows = 6 }: { rows?: number | undefined }) {
  const texts = useTexts(shellTexts)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" role="status">
      <span className="visually-hidden">{texts.loading}</span>
      {isLate && Array.from({ length: rows }, (_, row) => <div key={row} className={styles.bone} aria-hidden />)}
    </div>
  )
}
