import type { Theme } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface PreferencesTexts {
  language: string
  languages: { es: string; en: string }
  theme: string
  themes: Record<Theme, string>
  timezone: string
  ofMerchant: (zone: string | undefined) => string
  failed: string
  conflict: string
}

const es: PreferencesTexts = {
  language: 'Idioma',
  languages: { es: 'Español', en: 'English' },
  theme: 'Tema',
  themes: { system: 'Como el dispositivo', light: 'Claro', dark: 'Oscuro' },
  timezone: 'Zona horaria',
  ofMerchant: zone => (zone ? `La del comercio (${zone})` : 'La del comercio'),
  failed: 'No se pudo guardar.',
  conflict: 'Otra página cambió tus preferencias, así que se leyeron de nuevo. No se guardó nada: inténtalo otra vez.',
}

const en: PreferencesTexts = {
  language: 'Language',
  languages: { es: 'Español', en: 'English' },
  theme: 'Theme',
  themes: { system: 'As the device', light: 'Light', dark: 'Dark' },
  timezone: 'Time zone',
  ofMerchant: zone => (zone ? `The merchant's (${zone})` : "The merchant's"),
  failed: 'It could not be saved.',
  conflict: 'Another page changed your preferences, so they were read again. Nothing was saved: try again.',
}

export const preferencesTexts: Texts<PreferencesTexts> = { es, en }
