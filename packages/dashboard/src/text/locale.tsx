import { type Locale, preferredLocale } from '@cobro/look/locales'
import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react'

/** The texts of a screen in both languages. */
export type Texts<T> = Readonly<Record<Locale, T>>

interface LocaleChoice {
  locale: Locale
  choose: (locale: Locale) => void
}

const storageKey = 'cobro.locale'
const LocaleContext = createContext<LocaleChoice>({ locale: 'es', choose: () => undefined })

/** Provides the language that the user chose in this browser, or else that of the browser. */
export function LocaleProvider({ children }: { children: ReactNode }) {
  const [locale, setLocale] = useState<Locale>(storedLocale)
  useEffect(() => {
    document.documentElement.lang = locale
  }, [locale])
  const choose = useCallback((next: Locale) => {
    localStorage.setItem(storageKey, next)
    setLocale(next)
  }, [])
  return <LocaleContext value={{ locale, choose }}>{children}</LocaleContext>
}

function storedLocale(): Locale {
  const stored = localStorage.getItem(storageKey)
  return stored === 'es' || stored === 'en' ? stored : preferredLocale(navigator.languages)
}

export const useLocale = (): LocaleChoice => use(LocaleContext)

/** Returns the texts of a screen in the user's language. */
export function useTexts<T>(texts: Texts<T>): T {
  return texts[useLocale().locale]
}
