import type { EndReason } from '../api/session.ts'
import type { Texts } from './locale.tsx'

interface LoginTexts {
  title: string
  email: string
  password: string
  logIn: string
  code: string
  codeHint: string
  continueWithCode: string
  back: string
  factorTitle: string
  factorHint: string
  recoveryTitle: string
  recoveryHint: string
  stored: string
  reasons: Record<EndReason, string>
  retry: string
  logOutAgain: string
  wrong: string
  wrongCode: string
  /** The code, or that of a factor that was set up, came too late after the password. */
  late: Record<'code' | 'factor', string>
  limited: (seconds: number) => string
  otherAddress: string
  failed: string
}

const es: LoginTexts = {
  title: 'Inicia sesión',
  email: 'Correo electrónico',
  password: 'Contraseña',
  logIn: 'Entrar',
  code: 'Código',
  codeHint: 'Escribe el código de tu aplicación, o un código de recuperación.',
  continueWithCode: 'Continuar',
  back: 'Volver',
  factorTitle: 'Configura tu segundo factor',
  factorHint: 'Después escribe el código que te muestre la aplicación.',
  recoveryTitle: 'Guarda tus códigos de recuperación',
  recoveryHint: 'Cada uno sirve una vez si pierdes tu aplicación. Solo se muestran aquí.',
  stored: 'Ya los guardé',
  reasons: {
    logged_out: 'Cerraste tu sesión.',
    not_logged_out: 'No se pudo cerrar tu sesión: sigue abierta en este navegador.',
    ended: 'Tu sesión terminó. Entra de nuevo.',
    idle: 'Tu sesión terminó por inactividad.',
    unreachable: 'No hay conexión con Cobro. Intenta de nuevo.',
  },
  retry: 'Reintentar',
  logOutAgain: 'Cerrar sesión',
  wrong: 'El correo o la contraseña no coinciden.',
  wrongCode: 'El código no es correcto.',
  late: {
    code: 'Pasaron más de cinco minutos. Escribe de nuevo tu contraseña.',
    factor:
      'Pasaron más de cinco minutos. Escribe de nuevo tu contraseña y escanea el código QR nuevo: el anterior ya no sirve.',
  },
  limited: seconds => `Demasiados intentos. Espera ${seconds} s.`,
  otherAddress: 'Abre el panel en la dirección pública de Cobro.',
  failed: 'No se pudo entrar. Revisa tu conexión e intenta de nuevo.',
}

const en: LoginTexts = {
  title: 'Log in',
  email: 'E-mail address',
  password: 'Password',
  logIn: 'Log in',
  code: 'Code',
  codeHint: 'Enter the code of your app, or a recovery code.',
  continueWithCode: 'Continue',
  back: 'Back',
  factorTitle: 'Set up your second factor',
  factorHint: 'Then enter the code that the app shows.',
  recoveryTitle: 'Keep your recovery codes',
  recoveryHint: 'Each works once if you lose your app. They are shown only here.',
  stored: 'I have stored them',
  reasons: {
    logged_out: 'You logged out.',
    not_logged_out: 'You could not be logged out: this browser still has your session.',
    ended: 'Your session ended. Log in again.',
    idle: 'Your session ended because you were away.',
    unreachable: 'Cobro cannot be reached. Try again.',
  },
  retry: 'Try again',
  logOutAgain: 'Log out',
  wrong: 'The e-mail address or the password is wrong.',
  wrongCode: 'The code is wrong.',
  late: {
    code: 'More than five minutes have passed. Enter your password again.',
    factor:
      'More than five minutes have passed. Enter your password again, and scan the new QR code: the one before no longer works.',
  },
  limited: seconds => `Too many attempts. Wait ${seconds} s.`,
  otherAddress: "Open the dashboard at Cobro's public address.",
  failed: 'It did not work. Check your connection and try again.',
}

export const loginTexts: Texts<LoginTexts> = { es, en }
