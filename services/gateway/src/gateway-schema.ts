import { ApiKeyEntity } from './api-keys/api-key-entity.ts'
import { PreferencesEntity } from './me/preferences-entity.ts'
import { MerchantEntity } from './merchants/gateway-merchant-entity.ts'
import { RefreshTokenEntity } from './refresh-tokens/refresh-token-entity.ts'
import { RecoveryCodeEntity, SecondFactorEntity } from './second-factor/factor-entities.ts'
import { SigningKeyEntity } from './signing-keys/signing-key-entity.ts'
import { UserEntity } from './users/user-entity.ts'

/** The PostgreSQL schema that the gateway owns. */
export const schema = 'gateway'

export const entities = [
  MerchantEntity,
  UserEntity,
  ApiKeyEntity,
  SigningKeyEntity,
  RefreshTokenEntity,
  SecondFactorEntity,
  RecoveryCodeEntity,
  PreferencesEntity,
]
