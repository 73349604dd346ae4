export {
  hostName,
  isLoopback,
  isWildcard,
  listen,
  originOf,
  plainAddress,
  readOrigin,
  urlHost,
} from './http/address.js'
export { checkCertificate, followCertificate } from './http/certificate.js'
export { createGuardedServer } from './http/guarded-server.js'
export { createLineLog, refusalLine, type LineLog } from './http/line-log.js'
export {
  SAFE_HEADERS,
  TEXT_FORM,
  answerRefusal,
  forbidden,
  malformed,
  notFound,
  unavailable,
  type Refusal,
} from './http/refusal.js'
export type { RequestHead, Verdict } from './http/request-guard.js'
export { tokensMatch } from './http/token.js'
