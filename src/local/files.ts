export {
  GameServerFileError,
  findInFile,
  isKnown,
  loadGameServerFile,
  parseGameServer,
  readText,
} from './files/game-server-file.js'
export { plainText } from '../protocol/plain-text.js'
export { readTextFile, refuseUnlessFile, unreadableReason } from './files/read-text-file.js'
export { YamlError, findDocument } from './files/yaml-documents.js'
export { parseDocument, stringify } from './files/yaml.js'
