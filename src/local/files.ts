export {
  GameServerFileError,
  isKnown,
  loadGameServerFile,
  parseGameServer,
  readText,
} from './files/game-server-file.js'
export { plainText } from './files/plain-text.js'
export { openFile, readTextFile, refuseUnlessFile, unreadableReason } from './files/read-text-file.js'
export { YamlError, findDocument } from './files/yaml-documents.js'
export { parseDocument, stringify } from './files/yaml.js'
