import { useEffect, useState } from 'react'

/** Returns a text once it has not changed for a moment, so that not each letter asks for it. */
export function useLate(text: string, ms = 150): string {
  const [late, setLate] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setLate(text), ms)
    return () => clearTimeout(timer)
  }, [text, ms])
  return late
}
