export {
  hasOnly,
  isRecord,
  isRpcId,
  readRpcBody,
  rpcCodes,
  rpcError,
  toRpcError,
  type RpcId,
} from './json-rpc.ts';
