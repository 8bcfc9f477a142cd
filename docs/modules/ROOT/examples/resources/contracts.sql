create table contract (
    tenant varchar(100) primary key,
    permits bigint, -- null: unlimited
    seconds bigint
);
insert into contract values ('acme', 100, 3600), ('partner', null, null);
