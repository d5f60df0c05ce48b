import styles from './detail.module.css'

/** A text for programs. A long one scrolls, so that the keyboard has to reach it. */
export function CodeBlock({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <pre className={styles.code} tabIndex={0}>
      {text}
    </pre>
  )
}
