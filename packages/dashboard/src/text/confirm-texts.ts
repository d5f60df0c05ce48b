import type { Texts } from './locale.tsx'

interface ConfirmTexts {
  confirmTitle: string
  confirmText: string
  password: string
  code: string
  codeHint: string
  confirm: string
  confirmWrong: string
  failed: string
}

const es: ConfirmTexts = {
  confirmTitle: 'Confirma que eres tú',
  confirmText: 'Escribe tu contraseña para continuar. Vale por cinco minutos.',
  password: 'Contraseña',
  code: 'Código',
  codeHint: 'Solo si usas un segundo factor.',
  confirm: 'Confirmar',
  confirmWrong: 'La contraseña o el código no coinciden.',
  failed: 'No se pudo confirmar que eres tú.',
}

const en: ConfirmTexts = {
  confirmTitle: 'Confirm that it is you',
  confirmText: 'Enter your password to go on. It holds for five minutes.',
  password: 'Password',
  code: 'Code',
  codeHint: 'Only if you use a second factor.',
  confirm: 'Confirm',
  confirmWrong: 'The password or the code is wrong.',
  failed: 'It could not be confirmed that it is you.',
}

export const confirmTexts: Texts<ConfirmTexts> = { es, en }
