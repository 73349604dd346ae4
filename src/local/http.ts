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
export {
  answerRefusal,
  createLineLog,
  forbidden,
  malformed,
  notFound,
  refusalLine,
  SAFE_HEADERS,
  TEXT_FORM,
  unavailable,
  type LineLog,
  type Refusal,
} from './http/refusal.js'
export { isRead, tokensMatch, type RequestHead, type Verdict } from './http/request-guard.js'
