// Types of tc-web: those of onnxruntime-web as far as they are there, and what is more.
export type TypedArray =
  | Float32Array | Float64Array | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array
  | Int32Array | Uint32Array | BigInt64Array | BigUint64Array;
export type TensorType =
  | 'float32' | 'uint8' | 'int8' | 'uint16' | 'int16' | 'int32' | 'int64' | 'string' | 'bool' | 'float16' | 'float64'
  | 'uint32' | 'uint64' | 'complex64' | 'complex128' | 'bfloat16' | 'float8e4m3fn' | 'float8e4m3fnuz' | 'float8e5m2'
  | 'float8e5m2fnuz' | 'uint4' | 'int4' | 'float4e2m1' | 'float8e8m0' | 'uint2' | 'int2';
export type TensorData = TypedArray | string[];

export class Tensor {
  constructor(type: TensorType, data: TensorData | readonly (number | bigint | boolean)[], dims?: readonly number[]);
  constructor(data: TensorData | readonly boolean[], dims?: readonly number[]);
  readonly type: TensorType;
  // Of float16 a Float16Array where there is one, else the bits in a Uint16Array.
  readonly data: any;
  readonly dims: readonly number[];
  readonly size: number;
  readonly location: 'cpu';
  getData(): Promise<any>;
  reshape(dims: readonly number[]): Tensor;
  dispose(): void;
}

// A tensor, a sequence, a map with keys of int64 or text, or an optional that is not there.
export type Value = Tensor | Value[] | Map<bigint | string, Value> | null;

// What went wrong with a model or a run; the code is a word such as 'bad-input' or 'unsupported'.
export class TcError extends Error {
  readonly code: string;
}

export interface ValueMetadata {
  readonly name: string;
  readonly isTensor: boolean;
  readonly kind?: 'sequence' | 'optional' | 'map';
  readonly type?: TensorType;
  readonly shape?: readonly (number | string)[];
}

export interface SessionOptions {
  graphOptimizationLevel?: 'disabled' | 'basic' | 'extended' | 'layout' | 'all';
  freeDimensionOverrides?: Record<string, number>;
  externalData?: readonly (string | { path: string; data: string | ArrayBuffer | Uint8Array | Blob })[];
  // Bytes of the model that have arrived.
  onProgress?: (progress: { loaded: number; total?: number }) => void;
  // seed: of random operators that have none; budgets of a run; nonfinite: stop at the first NaN or infinity.
  tc?: { seed?: number | bigint; max_memory?: number; max_steps?: number; nonfinite?: boolean };
  // Those of onnxruntime-web that mean nothing here.
  [other: string]: unknown;
}

export type Feeds = Record<string, Value>;
export type Fetches = readonly string[] | Record<string, Tensor | null>;

export interface Step {
  op: string;
  node: string;
  kernel: string;
  depth: number;
  ms: number;
  flops: number;
  bytes: number;
}

export class InferenceSession {
  static create(model: string | URL | ArrayBufferLike | Uint8Array, options?: SessionOptions): Promise<InferenceSession>;
  static create(buffer: ArrayBufferLike, byteOffset: number, byteLength?: number, options?: SessionOptions): Promise<InferenceSession>;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly ValueMetadata[];
  readonly outputMetadata: readonly ValueMetadata[];
  run(feeds: Feeds, options?: object): Promise<Record<string, any>>;
  run(feeds: Feeds, fetches: Fetches, options?: object): Promise<Record<string, any>>;
  runSync(feeds: Feeds, fetches?: Fetches): Record<string, any>;
  trainStep(feeds: Feeds): Promise<Record<string, any>>;
  // A promise with env.wasm.proxy.
  state(): Record<string, any>;
  profile(feeds: Feeds): Promise<{ outputs: Record<string, any>; steps: Step[] }>;
  startProfiling(): void;
  endProfiling(): void;
  readonly memory: number;
  release(): Promise<void>;
}

export const env: {
  wasm: {
    numThreads?: number;
    simd?: boolean;
    // Sessions in workers of their own: all but runSync.
    proxy?: boolean;
    // false: tc.wasm, which rounds alike on all machines, even where tc.relaxed.wasm would run.
    relaxed?: boolean;
    wasmPaths?: string | { wasm?: string | URL; mjs?: string | URL };
    wasmBinary?: ArrayBufferLike | Uint8Array;
  };
  webgl: object;
  webgpu: object;
  versions: { common: string; web: string };
  logLevel?: string;
  debug?: boolean;
  [other: string]: unknown;
};

declare const ort: { InferenceSession: typeof InferenceSession; Tensor: typeof Tensor; env: typeof env };
export default ort;
