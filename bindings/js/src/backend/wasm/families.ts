// All families of calls: a platform that has all modules has all of them.

import { Age } from './age.js'
import { Base } from './base.js'
import { Cipher } from './cipher.js'
import { Compat } from './compat.js'
import { Digest } from './digest.js'
import { Exchange } from './exchange.js'
import type { Family } from './index.js'
import { Rsa } from './rsa.js'
import { Sign } from './sign.js'

export const FAMILIES: readonly Family[] = [Base, Cipher, Digest, Sign, Exchange, Rsa, Age, Compat]
