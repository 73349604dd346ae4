export { createInnerGateway, type Gateway, type InnerGateway } from './gateway/create-gateway.js'
export type { ForwardedFigures } from './gateway/forward/sidecar-handler.js'
export { variablePrefix } from './gateway/sidecar-url.js'
export { createGateway } from './gateway/create-gateway.js'
