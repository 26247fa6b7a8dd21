// Talking to the server. Ids travel as query parameters, since they may contain anything.

import type {
  ArticleData,
  ErrorData,
  FindData,
  KeywordsRequest,
  OperationData,
  OperationsFailure,
  OperationsReply,
  OperationsRequest,
  TimeRequest,
  TopicRequest,
} from "../../shared/api-types";

/** Which judgment of which document a page is about. */
export interface Subject {
  topic: string;
  doc: string;
  /** "adjudicated" or "" for one's own. */
  judge: string;
  /** Whose judgment an organiser reads, if that is what the page is for. */
  reading?: string;
}

export type Failure = ErrorData | OperationsFailure;

/** Whether a failure says what the judgment is now. */
export function hasJudgment(answer: Failure): answer is OperationsFailure {
  return "state" in answer;
}

/** An answer that refuses the request. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly answer: Failure,
    /** Seconds after which to try again, if the server said so. */
    readonly retryAfter: number | null = null,
  ) {
    super(answer.error);
  }
}

/** No answer at all. */
export class Unreachable extends Error {}

/** How long to wait for an answer, in milliseconds. */
const PATIENCE = 30_000;

function query(parameters: Record<string, string>): string {
  const filled = Object.entries(parameters).filter(([, value]) => value !== "");
  return new URLSearchParams(filled).toString();
}

/** The page on which a document is judged. */
export function articlePage({ topic, judge, reading }: Subject, doc: string): string {
  if (reading) return `/organise/judgment?${query({ user: reading, topic, doc })}`;
  return `${judge ? "/adjudicate" : "/article"}?${query({ topic, doc })}`;
}

/** One of the pictures of a document. */
export function pictureAddress({ topic, doc, adjudicating }: ArticleData, number: number): string {
  const judge = adjudicating ? "adjudicated" : "";
  return `/api/picture?${query({ topic: topic.id, doc, judge, number: String(number) })}`;
}

export function queuePage({ topic, judge, reading }: Subject): string {
  if (reading) return `/organise/judgments?${query({ user: reading, topic })}`;
  return `/queue?${query({ topic, judge })}`;
}

export function article({ topic, doc, judge, reading }: Subject): Promise<ArticleData> {
  if (reading) return request(`/api/judgment?${query({ user: reading, topic, doc })}`);
  return request(`/api/article?${query({ topic, doc, judge })}`);
}

export function send(
  { topic, doc, judge }: Subject,
  user: string,
  operations: OperationData[],
): Promise<OperationsReply> {
  const body: OperationsRequest = { user, operations };
  return request(`/api/operations?${query({ topic, doc, judge })}`, body);
}

export async function saveKeywords(topic: string, words: string[]): Promise<void> {
  const body: KeywordsRequest = { words };
  await request(`/api/keywords?${query({ topic })}`, body);
}

export function find({ topic, judge }: Subject, q: string): Promise<FindData> {
  return request(`/api/find?${query({ topic, judge, q })}`);
}

export async function judgeOutside(subject: Subject, doc: string): Promise<void> {
  await request("/api/outside", about({ ...subject, doc }));
}

/** Report the time spent; also while the page is being left. */
export async function reportTime(subject: Subject, user: string, seconds: number): Promise<void> {
  const body: TimeRequest = { ...about(subject), user, seconds };
  await request("/api/time", body, { keepalive: true });
}

/** How long the server may take to say that it is there, in milliseconds. */
const PROBE_PATIENCE = 3_000;

/** Whether the server answers; asked by a file that costs it nothing. */
export async function isReachable(): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>("script[src]")?.src ?? "/";
  const signal = AbortSignal.timeout(PROBE_PATIENCE);
  const answer = await fetch(script, { method: "HEAD", cache: "no-store", signal }).catch(() => null);
  return answer !== null;
}

/** End the session, whoever's it is. */
export async function signOut(): Promise<void> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  await fetch("/logout", { method: "POST", headers, body: "", redirect: "manual" }).catch(() => null);
}

function about({ topic, doc, judge }: Subject): TopicRequest {
  return judge === "adjudicated" ? { topic, doc, judge } : { topic, doc };
}

async function request<Answer>(address: string, body?: object, more: RequestInit = {}): Promise<Answer> {
  const options: RequestInit = { credentials: "same-origin", cache: "no-store", redirect: "error", ...more };
  options.signal = AbortSignal.timeout(PATIENCE);
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Unreachable("The server cannot be reached.");
  }
  let answer: unknown;
  try {
    answer = await response.json();
  } catch {
    if (response.ok) throw new Unreachable("The server's answer broke off.");
    answer = { error: `The server answered with status ${response.status}.`, code: "" };
  }
  if (response.ok) return answer as Answer;
  const wait = Number(response.headers.get("Retry-After") ?? NaN);
  throw new ServerError(response.status, answer as Failure, Number.isFinite(wait) ? wait : null);
}
