/** Text of ISO 8601, or what the database makes of it. */
export type Time = string | Date;

/** A list of texts: JSON, or what the database makes of it. */
export type Texts = string | string[];

/** Better-auth's tables, as far as they are read and written here. */
export type AuthTables = {
  oauthClient: {
    id: string;
    clientId: string;
    clientDiscoveryId: string | null;
    disabled: number | boolean | null;
    name: string | null;
    redirectUris: Texts;
    createdAt: Time | null;
  };
  oauthConsent: {
    id: string;
    clientId: string;
    userId: string;
    scopes: Texts;
    createdAt: Time;
    lastUsedAt: Time | null;
    lastUsedFrom: string | null;
    /** The ids of the machines that the client may use, as JSON; null: all of the user. */
    machines: string | null;
  };
  oauthAccessToken: {
    id: string;
    token: string;
    clientId: string;
    userId: string;
    refreshId: string | null;
    authorizationCodeId: string | null;
    resources: Texts | null;
    scopes: Texts;
    expiresAt: Time;
    revoked: Time | null;
    confirmation: string | null;
  };
  oauthRefreshToken: {
    id: string;
    token: string;
    clientId: string;
    userId: string;
    authorizationCodeId: string | null;
    expiresAt: Time;
    revoked: Time | null;
    rotatedAt: Time | null;
    /** The answer of the refresh that replaced the token, sealed with the token itself. */
    rotationReplayResponse: string | null;
    /** Until when the token gets that answer again; without an answer: the refresh was not completed. */
    rotationReplayExpiresAt: Time | null;
  };
  verification: { id: string; value: string };
  user: {
    id: string;
    name: string;
    email: string;
    ownerSlot: string | null;
    createdAt: Time;
    disabledAt: Time | null;
  };
  session: {
    id: string;
    token: string;
    userId: string;
    createdAt: Time;
    expiresAt: Time;
    userAgent: string | null;
  };
  account: { id: string; userId: string };
  passwordReset: { id: string; userId: string; expiresAt: Time };
  invitation: { id: string; expiresAt: Time };
  /** Access tokens. */
  apikey: {
    id: string;
    key: string;
    name: string;
    referenceId: string;
    permissions: string;
    enabled: number | boolean;
    createdAt: Time;
    expiresAt: Time;
    lastRequest: Time | null;
    lastUsedFrom: string | null;
  };
};
