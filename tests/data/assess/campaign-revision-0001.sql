BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE assignments (
	topic TEXT NOT NULL, 
	user_id INTEGER NOT NULL, 
	part TEXT NOT NULL, 
	CONSTRAINT pk_assignments PRIMARY KEY (topic, user_id, part), 
	CONSTRAINT fk_assignments_topic FOREIGN KEY(topic) REFERENCES topics (id), 
	CONSTRAINT fk_assignments_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "assignments" VALUES('7',3,'assess');
INSERT INTO "assignments" VALUES('7',4,'assess');
INSERT INTO "assignments" VALUES('7',5,'adjudicate');
INSERT INTO "assignments" VALUES('8',3,'assess');
INSERT INTO "assignments" VALUES('8',4,'assess');
INSERT INTO "assignments" VALUES('8',5,'adjudicate');
CREATE TABLE events (
	seq INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	user_id INTEGER, 
	what TEXT NOT NULL, 
	details TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (seq), 
	CONSTRAINT fk_events_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "events" VALUES(1,'2026-11-16T04:33:34.200Z',NULL,'pool','{"added":5,"kept":0,"removed":0}');
INSERT INTO "events" VALUES(2,'2026-11-16T04:33:34.201Z',NULL,'campaign created','{}');
INSERT INTO "events" VALUES(3,'2026-11-16T04:33:34.235Z',NULL,'user added','{"name":"admin","role":"admin"}');
INSERT INTO "events" VALUES(4,'2026-11-16T04:33:34.239Z',NULL,'user added','{"name":"organiser","role":"organiser"}');
INSERT INTO "events" VALUES(5,'2026-11-16T04:33:34.307Z',NULL,'user added','{"name":"ann","role":"assessor"}');
INSERT INTO "events" VALUES(6,'2026-11-16T04:33:34.314Z',NULL,'user added','{"name":"bob","role":"assessor"}');
INSERT INTO "events" VALUES(7,'2026-11-16T04:33:34.316Z',NULL,'user added','{"name":"adj","role":"adjudicator"}');
INSERT INTO "events" VALUES(8,'2026-11-16T04:33:34.319Z',NULL,'assigned','{"topic":"7","name":"ann","part":"assess"}');
INSERT INTO "events" VALUES(9,'2026-11-16T04:33:34.330Z',NULL,'assigned','{"topic":"7","name":"bob","part":"assess"}');
INSERT INTO "events" VALUES(10,'2026-11-16T04:33:34.334Z',NULL,'assigned','{"topic":"7","name":"adj","part":"adjudicate"}');
INSERT INTO "events" VALUES(11,'2026-11-16T04:33:34.336Z',NULL,'assigned','{"topic":"8","name":"ann","part":"assess"}');
INSERT INTO "events" VALUES(12,'2026-11-16T04:33:34.339Z',NULL,'assigned','{"topic":"8","name":"bob","part":"assess"}');
INSERT INTO "events" VALUES(13,'2026-11-16T04:33:34.342Z',NULL,'assigned','{"topic":"8","name":"adj","part":"adjudicate"}');
CREATE TABLE judgments (
	topic TEXT NOT NULL, 
	document TEXT NOT NULL, 
	judge INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	status TEXT NOT NULL, 
	off_pool BOOLEAN NOT NULL, 
	seconds FLOAT NOT NULL, 
	undo TEXT NOT NULL, 
	redo TEXT NOT NULL, 
	text_sha256 TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_judgments PRIMARY KEY (topic, document, judge), 
	CONSTRAINT fk_judgments_topic FOREIGN KEY(topic) REFERENCES topics (id)
);
INSERT INTO "judgments" VALUES('7','waves',4,13,'{"highlights":[[3,26]],"bep":4,"grades":{},"inferred":[],"status":"validated","skipped":false,"problem":false,"note":"1"}','validated',0,0.0,'[2,3,4,5,7,9,13]','[]','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.195Z');
INSERT INTO "judgments" VALUES('7','tides',0,5,'{"highlights":[[1,12],[18,76]],"bep":null,"grades":{},"inferred":[],"status":"open","skipped":false,"problem":false,"note":""}','open',0,0.0,'[1,2,3]','[]','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.698Z');
INSERT INTO "judgments" VALUES('7','waves',0,4,'{"highlights":[],"bep":null,"grades":{},"inferred":[],"status":"open","skipped":false,"problem":false,"note":""}','open',0,0.0,'[2,3]','[]','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.826Z');
INSERT INTO "judgments" VALUES('7','waves',3,11,'{"highlights":[[16,31]],"bep":1,"grades":{},"inferred":[],"status":"validated","skipped":false,"problem":true,"note":"33"}','validated',0,0.0,'[1,2,6,7,8,9,11]','[]','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.046Z');
INSERT INTO "judgments" VALUES('7','tides',3,14,'{"highlights":[[14,57]],"bep":null,"grades":{},"inferred":[],"status":"open","skipped":false,"problem":false,"note":""}','open',0,0.0,'[1,4,7,10,11]','[12]','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.223Z');
INSERT INTO "judgments" VALUES('7','tides',4,5,'{"highlights":[],"bep":null,"grades":{},"inferred":[],"status":"validated","skipped":false,"problem":false,"note":""}','validated',0,0.0,'[3]','[]','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.133Z');
INSERT INTO "judgments" VALUES('8','salt',4,1,'{"highlights":[],"bep":null,"grades":{},"inferred":[],"status":"validated","skipped":false,"problem":false,"note":""}','validated',0,0.0,'[1]','[]','fe65702ecbf6ba129be3066dcb492579821dfb731d036aa3c8abca049494cfa2','2026-11-16T04:33:35.266Z');
INSERT INTO "judgments" VALUES('8','tides',4,1,'{"highlights":[],"bep":null,"grades":{},"inferred":[],"status":"validated","skipped":false,"problem":false,"note":""}','validated',0,0.0,'[1]','[]','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.278Z');
INSERT INTO "judgments" VALUES('8','waves',4,2,'{"highlights":[],"bep":null,"grades":{},"inferred":[],"status":"open","skipped":true,"problem":true,"note":""}','open',0,0.0,'[1,2]','[]','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.310Z');
CREATE TABLE keywords (
	topic TEXT NOT NULL, 
	user_id INTEGER NOT NULL, 
	words TEXT NOT NULL, 
	CONSTRAINT pk_keywords PRIMARY KEY (topic, user_id), 
	CONSTRAINT fk_keywords_topic FOREIGN KEY(topic) REFERENCES topics (id), 
	CONSTRAINT fk_keywords_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "keywords" VALUES('7',4,'["tide","\ud83c\udf0a"]');
CREATE TABLE login_failures (
	seq INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	address TEXT NOT NULL, 
	at TEXT NOT NULL, 
	CONSTRAINT pk_login_failures PRIMARY KEY (seq)
);
CREATE TABLE operations (
	seq INTEGER NOT NULL, 
	op_id TEXT NOT NULL, 
	topic TEXT NOT NULL, 
	document TEXT NOT NULL, 
	judge INTEGER NOT NULL, 
	user_id INTEGER, 
	version INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	operation TEXT NOT NULL, 
	change TEXT NOT NULL, 
	text_sha256 TEXT NOT NULL, 
	server_time TEXT NOT NULL, 
	CONSTRAINT pk_operations PRIMARY KEY (seq), 
	CONSTRAINT uq_operations_op_id UNIQUE (op_id), 
	CONSTRAINT uq_operations_topic_document_judge_version UNIQUE (topic, document, judge, version), 
	CONSTRAINT fk_operations_topic FOREIGN KEY(topic) REFERENCES topics (id), 
	CONSTRAINT fk_operations_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "operations" VALUES(1,'old-1','7','waves',4,4,1,'unhighlight','{"base_version":0,"kind":"unhighlight","start":12,"end":37,"quote":"kes waves \ud83c\udf0a of all sizes.","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.363Z');
INSERT INTO "operations" VALUES(2,'old-2','7','tides',0,4,1,'highlight','{"base_version":0,"kind":"highlight","start":18,"end":38,"quote":"s the sea.Twice a da","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[18,38]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.378Z');
INSERT INTO "operations" VALUES(3,'old-4','7','tides',0,3,2,'highlight','{"base_version":1,"kind":"highlight","start":30,"end":76,"quote":"ice a day the water rises.Spring tides are hig","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[18,38]],"added":[[18,76]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.388Z');
INSERT INTO "operations" VALUES(4,'old-5','7','waves',4,4,2,'bep','{"base_version":1,"kind":"bep","start":12,"end":null,"quote":"kes waves \ud83c\udf0a of all sizes.","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"bep":[null,12]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.396Z');
INSERT INTO "operations" VALUES(5,'old-6','7','waves',0,4,1,'skip','{"base_version":0,"kind":"skip","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":false,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.409Z');
INSERT INTO "operations" VALUES(6,'old-8','7','waves',0,3,2,'not-relevant','{"base_version":1,"kind":"not-relevant","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"status":["open","validated"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.436Z');
INSERT INTO "operations" VALUES(7,'old-9','7','waves',3,3,1,'bep','{"base_version":0,"kind":"bep","start":0,"end":null,"quote":"WavesWind makes waves \ud83c\udf0a of all s","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"bep":[null,0]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.452Z');
INSERT INTO "operations" VALUES(8,'old-10','7','tides',3,3,1,'highlight','{"base_version":0,"kind":"highlight","start":50,"end":53,"quote":"ris","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[50,53]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.474Z');
INSERT INTO "operations" VALUES(9,'old-11','7','waves',3,3,2,'highlight','{"base_version":1,"kind":"highlight","start":19,"end":21,"quote":"es","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[19,21]]}}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.487Z');
INSERT INTO "operations" VALUES(10,'old-12','7','tides',0,4,3,'highlight','{"base_version":2,"kind":"highlight","start":1,"end":12,"quote":"idesThe moo","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[1,12]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.510Z');
INSERT INTO "operations" VALUES(11,'old-13','7','waves',0,4,3,'reopen','{"base_version":2,"kind":"reopen","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"status":["validated","open"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.518Z');
INSERT INTO "operations" VALUES(12,'old-15','7','tides',0,4,4,'highlight','{"base_version":3,"kind":"highlight","start":38,"end":75,"quote":"y the water rises.Spring tides are hi","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.554Z');
INSERT INTO "operations" VALUES(13,'old-16','7','tides',3,3,2,'highlight','{"base_version":1,"kind":"highlight","start":73,"end":77,"quote":"high","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[73,77]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.563Z');
INSERT INTO "operations" VALUES(14,'old-17','7','tides',3,3,3,'undo','{"base_version":2,"kind":"undo","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[73,77]],"added":[]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.573Z');
INSERT INTO "operations" VALUES(15,'old-18','7','waves',4,4,3,'bep','{"base_version":2,"kind":"bep","start":4,"end":null,"quote":"sWind makes waves \ud83c\udf0a of all sizes","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"bep":[12,4]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.582Z');
INSERT INTO "operations" VALUES(16,'old-19','7','tides',3,3,4,'unhighlight','{"base_version":3,"kind":"unhighlight","start":47,"end":58,"quote":"er rises.Sp","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[50,53]],"added":[]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.589Z');
INSERT INTO "operations" VALUES(17,'old-20','7','tides',4,4,1,'clear-bep','{"base_version":0,"kind":"clear-bep","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.599Z');
INSERT INTO "operations" VALUES(18,'old-21','7','tides',3,3,5,'bep','{"base_version":4,"kind":"bep","start":20,"end":null,"quote":"the sea.Twice a day the water ri","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"bep":[null,20]}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.605Z');
INSERT INTO "operations" VALUES(19,'old-22','7','waves',4,4,4,'highlight','{"base_version":3,"kind":"highlight","start":3,"end":26,"quote":"esWind makes waves \ud83c\udf0a of","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[3,26]]}}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.612Z');
INSERT INTO "operations" VALUES(20,'old-23','7','tides',3,3,6,'undo','{"base_version":5,"kind":"undo","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"bep":[20,null]}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.653Z');
INSERT INTO "operations" VALUES(21,'old-24','7','waves',4,4,5,'note','{"base_version":4,"kind":"note","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":"18","client_time":null}','{"note":["","18"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.686Z');
INSERT INTO "operations" VALUES(22,'old-25','7','tides',0,3,5,'skip','{"base_version":4,"kind":"skip","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":false,"client_time":null}','{}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.698Z');
INSERT INTO "operations" VALUES(23,'old-26','7','waves',3,3,3,'highlight','{"base_version":2,"kind":"highlight","start":1,"end":13,"quote":"avesWind mak","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[1,13]]}}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.704Z');
INSERT INTO "operations" VALUES(24,'old-27','7','waves',4,4,6,'unhighlight','{"base_version":5,"kind":"unhighlight","start":2,"end":3,"quote":"v","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.713Z');
INSERT INTO "operations" VALUES(25,'old-28','7','waves',4,4,7,'validate','{"base_version":6,"kind":"validate","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"status":["open","validated"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.721Z');
INSERT INTO "operations" VALUES(26,'old-29','7','waves',3,3,4,'unhighlight','{"base_version":3,"kind":"unhighlight","start":33,"end":37,"quote":"zes.","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.735Z');
INSERT INTO "operations" VALUES(27,'old-30','7','tides',3,3,7,'highlight','{"base_version":6,"kind":"highlight","start":39,"end":45,"quote":" the w","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[39,45]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.743Z');
INSERT INTO "operations" VALUES(28,'old-31','7','tides',3,3,8,'unhighlight','{"base_version":7,"kind":"unhighlight","start":39,"end":40,"quote":" ","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[39,45]],"added":[[40,45]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.747Z');
INSERT INTO "operations" VALUES(29,'old-32','7','tides',3,3,9,'undo','{"base_version":8,"kind":"undo","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[40,45]],"added":[[39,45]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.756Z');
INSERT INTO "operations" VALUES(30,'old-34','7','tides',4,4,2,'problem','{"base_version":1,"kind":"problem","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":false,"client_time":null}','{}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.768Z');
INSERT INTO "operations" VALUES(31,'old-35','7','waves',4,4,8,'highlight','{"base_version":7,"kind":"highlight","start":4,"end":5,"quote":"s","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.778Z');
INSERT INTO "operations" VALUES(32,'old-36','7','waves',3,3,5,'undo','{"base_version":4,"kind":"undo","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[1,13]],"added":[]}}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.785Z');
INSERT INTO "operations" VALUES(33,'old-37','7','waves',4,4,9,'note','{"base_version":8,"kind":"note","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":"5","client_time":null}','{"note":["18","5"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.795Z');
INSERT INTO "operations" VALUES(34,'old-38','7','waves',3,3,6,'bep','{"base_version":5,"kind":"bep","start":1,"end":null,"quote":"avesWind makes waves \ud83c\udf0a of all si","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"bep":[0,1]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.804Z');
INSERT INTO "operations" VALUES(35,'old-39','7','waves',3,3,7,'highlight','{"base_version":6,"kind":"highlight","start":16,"end":31,"quote":"waves \ud83c\udf0a of all ","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[19,21]],"added":[[16,31]]}}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.808Z');
INSERT INTO "operations" VALUES(36,'old-40','7','waves',0,4,4,'unhighlight','{"base_version":3,"kind":"unhighlight","start":12,"end":33,"quote":"kes waves \ud83c\udf0a of all si","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.826Z');
INSERT INTO "operations" VALUES(37,'old-42','7','tides',4,4,3,'not-relevant','{"base_version":2,"kind":"not-relevant","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"status":["open","validated"]}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.841Z');
INSERT INTO "operations" VALUES(38,'old-43','7','waves',3,3,8,'validate','{"base_version":7,"kind":"validate","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"status":["open","validated"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.876Z');
INSERT INTO "operations" VALUES(39,'old-44','7','tides',3,3,10,'highlight','{"base_version":9,"kind":"highlight","start":21,"end":35,"quote":"he sea.Twice a","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[21,35]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.898Z');
INSERT INTO "operations" VALUES(40,'old-46','7','waves',4,4,10,'highlight','{"base_version":9,"kind":"highlight","start":20,"end":28,"quote":"s \ud83c\udf0a of a","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[3,26]],"added":[[3,28]]},"status":["validated","open"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.937Z');
INSERT INTO "operations" VALUES(41,'old-47','7','waves',3,3,9,'problem','{"base_version":8,"kind":"problem","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":true,"client_time":null}','{"problem":[false,true]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.951Z');
INSERT INTO "operations" VALUES(42,'old-48','7','waves',4,4,11,'skip','{"base_version":10,"kind":"skip","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":false,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.968Z');
INSERT INTO "operations" VALUES(43,'old-49','7','waves',3,3,10,'bep','{"base_version":9,"kind":"bep","start":1,"end":null,"quote":"avesWind makes waves \ud83c\udf0a of all si","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:34.982Z');
INSERT INTO "operations" VALUES(44,'old-50','7','tides',3,3,11,'highlight','{"base_version":10,"kind":"highlight","start":14,"end":57,"quote":"pulls the sea.Twice a day the water rises.S","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[21,35],[39,45]],"added":[[14,57]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:34.991Z');
INSERT INTO "operations" VALUES(45,'old-51','7','tides',4,4,4,'clear-bep','{"base_version":3,"kind":"clear-bep","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.012Z');
INSERT INTO "operations" VALUES(46,'old-52','7','tides',3,3,12,'unhighlight','{"base_version":11,"kind":"unhighlight","start":4,"end":68,"quote":"sThe moon pulls the sea.Twice a day the water rises.Spring tides","quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[14,57]],"added":[]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.035Z');
INSERT INTO "operations" VALUES(47,'old-53','7','waves',3,3,11,'note','{"base_version":10,"kind":"note","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":"33","client_time":null}','{"note":["","33"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.046Z');
INSERT INTO "operations" VALUES(48,'old-55','7','tides',4,4,5,'not-relevant','{"base_version":4,"kind":"not-relevant","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.133Z');
INSERT INTO "operations" VALUES(49,'old-56','7','waves',4,4,12,'undo','{"base_version":11,"kind":"undo","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[[3,28]],"added":[[3,26]]},"status":["open","validated"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.151Z');
INSERT INTO "operations" VALUES(50,'old-57','7','tides',3,3,13,'clear-bep','{"base_version":12,"kind":"clear-bep","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.177Z');
INSERT INTO "operations" VALUES(51,'old-58','7','waves',4,4,13,'note','{"base_version":12,"kind":"note","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":"1","client_time":null}','{"note":["5","1"]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.195Z');
INSERT INTO "operations" VALUES(52,'old-59','7','tides',3,3,14,'undo','{"base_version":13,"kind":"undo","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"highlights":{"removed":[],"added":[[14,57]]}}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.223Z');
INSERT INTO "operations" VALUES(53,'old-61','8','salt',4,4,1,'not-relevant','{"base_version":0,"kind":"not-relevant","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"status":["open","validated"]}','fe65702ecbf6ba129be3066dcb492579821dfb731d036aa3c8abca049494cfa2','2026-11-16T04:33:35.266Z');
INSERT INTO "operations" VALUES(54,'old-62','8','tides',4,4,1,'not-relevant','{"base_version":0,"kind":"not-relevant","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":null,"client_time":null}','{"status":["open","validated"]}','18c96be41d2981a64dcc41186b65960334080bd7f132d08294b7df1b6fb91815','2026-11-16T04:33:35.278Z');
INSERT INTO "operations" VALUES(55,'old-63','8','waves',4,4,1,'skip','{"base_version":0,"kind":"skip","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":true,"client_time":null}','{"skipped":[false,true]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.299Z');
INSERT INTO "operations" VALUES(56,'old-64','8','waves',4,4,2,'problem','{"base_version":1,"kind":"problem","start":null,"end":null,"quote":null,"quote_length":null,"quote_sha256":null,"path":null,"value":true,"client_time":null}','{"problem":[false,true]}','31fb9ad955ba4d70d75db6eb85ca5e0dd578ebd6c1a4188a0b952076046ff7e4','2026-11-16T04:33:35.310Z');
CREATE TABLE pool_documents (
	topic TEXT NOT NULL, 
	document TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	priority FLOAT NOT NULL, 
	elements TEXT NOT NULL, 
	honeypot BOOLEAN DEFAULT 0 NOT NULL, 
	gold TEXT, 
	added_at TEXT NOT NULL, 
	CONSTRAINT pk_pool_documents PRIMARY KEY (topic, document), 
	CONSTRAINT fk_pool_documents_topic FOREIGN KEY(topic) REFERENCES topics (id)
);
INSERT INTO "pool_documents" VALUES('7','waves',0,0.1,'[["/article[1]/p[1]",null,null]]',0,NULL,'2026-11-16T04:33:34.194Z');
INSERT INTO "pool_documents" VALUES('7','tides',1,0.3,'[["/article[1]/sec[1]",null,null]]',0,NULL,'2026-11-16T04:33:34.194Z');
INSERT INTO "pool_documents" VALUES('8','salt',0,0.2,'[]',0,NULL,'2026-11-16T04:33:34.199Z');
INSERT INTO "pool_documents" VALUES('8','tides',1,0.2,'[]',0,NULL,'2026-11-16T04:33:34.199Z');
INSERT INTO "pool_documents" VALUES('8','waves',2,0.1,'[]',0,NULL,'2026-11-16T04:33:34.199Z');
CREATE TABLE pools (
	seq INTEGER NOT NULL, 
	topic TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	facts TEXT NOT NULL, 
	added_at TEXT NOT NULL, 
	CONSTRAINT pk_pools PRIMARY KEY (seq), 
	CONSTRAINT fk_pools_topic FOREIGN KEY(topic) REFERENCES topics (id)
);
INSERT INTO "pools" VALUES(1,'7','bca933148422de60535b336ac59a27bdd89975edcd39d9c14a024f754c59b5b5','{"method":null,"depth":null,"documents":null,"level":null,"seed":null,"runs":[],"judged":[],"collection":null,"version":null,"date":null}','2026-11-16T04:33:34.196Z');
INSERT INTO "pools" VALUES(2,'8','0838162b2aed6fd321ebde0a1471778f7f985538bddf764a27cb3956c989aa01','{"method":null,"depth":null,"documents":null,"level":null,"seed":null,"runs":[],"judged":[],"collection":null,"version":null,"date":null}','2026-11-16T04:33:34.200Z');
CREATE TABLE sessions (
	token_hash TEXT NOT NULL, 
	user_id INTEGER NOT NULL, 
	created TEXT NOT NULL, 
	seen TEXT NOT NULL, 
	expires TEXT NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (token_hash), 
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE TABLE settings (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_settings PRIMARY KEY ("key")
);
INSERT INTO "settings" VALUES('settings','{"mode":"2006","order":"pool","seed":0,"show_pooled":false,"display":{},"snap":"characters","title":""}');
INSERT INTO "settings" VALUES('collection','{"path":"/nowhere/collection","seal":"02135338c9a570952e1867add7579905177827209bdeaa3ed7fe5b0c5e898342"}');
CREATE TABLE topics (
	id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	fields TEXT NOT NULL, 
	closed_at TEXT, 
	CONSTRAINT pk_topics PRIMARY KEY (id)
);
INSERT INTO "topics" VALUES('7',0,'{"title":"tides","castitle":null,"phrasetitle":null,"description":"Why does the water rise and fall?","narrative":null,"keywords":null,"ontopic_keywords":null,"parent":null,"initial_statement":null,"query_type":null,"candidate_number":null,"cas_parts":[]}',NULL);
INSERT INTO "topics" VALUES('8',1,'{"title":"salt water","castitle":null,"phrasetitle":null,"description":null,"narrative":"Anything about salt.","keywords":null,"ontopic_keywords":null,"parent":null,"initial_statement":null,"query_type":null,"candidate_number":null,"cas_parts":[]}',NULL);
CREATE TABLE users (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	password_hash TEXT NOT NULL, 
	pseudonym TEXT NOT NULL, 
	active BOOLEAN NOT NULL, 
	created TEXT NOT NULL, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_name UNIQUE (name), 
	CONSTRAINT uq_users_pseudonym UNIQUE (pseudonym)
);
INSERT INTO "users" VALUES(1,'admin','admin','$argon2id$v=19$m=8,t=1,p=1$gfh3pkv8NWttrZcwiXz+qg$m5qA2fBXK/qIcTyAN1oicypecEO5/ZhZlDqmhdiTJA0','assessor-b905b1',1,'2026-11-16T04:33:34.234Z');
INSERT INTO "users" VALUES(2,'organiser','organiser','$argon2id$v=19$m=8,t=1,p=1$UWTdV7ENEFbI7ArawXOBSQ$AgR9Uy50Kk8wiB0drCWOEMep7f45kqIydkPSy3ZUBsU','assessor-002072',1,'2026-11-16T04:33:34.239Z');
INSERT INTO "users" VALUES(3,'ann','assessor','$argon2id$v=19$m=8,t=1,p=1$c53qGqK7mVjfq6BMqg/tMw$2N6DvC0PhqeApKhif7LP1/0UCAEzhi2oOvbRaD9RwDI','assessor-0d6e3f',1,'2026-11-16T04:33:34.306Z');
INSERT INTO "users" VALUES(4,'bob','assessor','$argon2id$v=19$m=8,t=1,p=1$ZU1KLVEowTWFiJBa+IpnKQ$erPik5KDeSfuJeoaMIh5xls6jSVtMxxXadp0T/rI1bY','assessor-0e51b1',1,'2026-11-16T04:33:34.314Z');
INSERT INTO "users" VALUES(5,'adj','adjudicator','$argon2id$v=19$m=8,t=1,p=1$pUVSWl+cK+vQ1/ldcbqBKw$Txq2m5RKEOSFVpqGBO1C1D2EcnV9YUBkxsro3Wc99uE','assessor-30fd15',1,'2026-11-16T04:33:34.316Z');
CREATE INDEX ix_login_failures_name_at ON login_failures (name, at);
CREATE INDEX ix_login_failures_address_at ON login_failures (address, at);
CREATE INDEX ix_pools_topic ON pools (topic);
COMMIT;
