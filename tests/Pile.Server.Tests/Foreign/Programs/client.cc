// Calls a cache server by C++ gRPC: client ADDRESS TOKEN [AUTHORITY [CERTIFICATE KEY]]. It prints "ok" when all is as it must be.
// Foreign/README.md says what it covers. It is one unit with the stubs that protoc made: that compiles fastest (CppClientTests).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "pile/v1/status.pb.h"
#include "pile/v1/entries.grpc.pb.cc"
#include "pile/v1/tables.grpc.pb.cc"
#include "pile/v1/admin.grpc.pb.cc"
#include "health.grpc.pb.cc"
#include "grpc/reflection/v1/reflection.grpc.pb.cc"
#include "grpc/reflection/v1alpha/reflection.grpc.pb.cc"
#include <grpcpp/grpcpp.h>

#define CHECK(condition) ((condition) ? (void)0 : failed(#condition, __LINE__))

using grpc::ClientContext;
using grpc::Status;
using grpc::StatusCode;
namespace v1 = pile::v1;

static void failed(const char* what, int line) {
  std::fprintf(stderr, "line %d: %s\n", line, what);
  std::_Exit(1);
}

static std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  CHECK(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static std::chrono::system_clock::time_point after(int milliseconds) {
  return std::chrono::system_clock::now() + std::chrono::milliseconds(milliseconds);
}

static std::unique_ptr<v1::Entries::Stub> entries;
static std::unique_ptr<v1::Tables::Stub> tables;
static std::string token;

// A call: what it asks, its context with a deadline, what it was answered.
template <class Stub, class Request, class Reply>
static Status call(Stub& stub, Status (Stub::*method)(ClientContext*, const Request&, Reply*), const Request& request, Reply* reply, ClientContext* given = nullptr) {
  ClientContext own;
  ClientContext* context = given == nullptr ? &own : given;
  if (given == nullptr) own.set_deadline(after(60000));
  return (stub.*method)(context, request, reply);
}

#define CALL(stub, method, request, reply) CHECK(call(*(stub), &std::remove_reference_t<decltype(*(stub))>::method, request, reply).ok())

static v1::GetRequest get_of(const std::string& key, const std::string& table = "") {
  v1::GetRequest request;
  request.set_key(key);
  request.set_table(table);
  return request;
}

static v1::GetReply get(const std::string& key) {
  v1::GetReply reply;
  CALL(entries, Get, get_of(key), &reply);
  return reply;
}

static v1::Outcome set(const std::string& key, const std::string& value, const std::string& tag = "") {
  v1::SetRequest request;
  v1::SetReply reply;
  request.set_key(key);
  request.set_value(value);
  if (!tag.empty()) request.mutable_terms()->add_tags(tag);
  CALL(entries, Set, request, &reply);
  return reply.outcome();
}

static void single() {
  CHECK(set("a", "one") == v1::OUTCOME_INSERTED);
  v1::GetRequest with_version = get_of("a");
  with_version.set_want_version(true);
  v1::GetReply found;
  CALL(entries, Get, with_version, &found);
  CHECK(found.found() && found.value() == "one");
  v1::CompareAndSetRequest change;
  v1::SetReply stored;
  change.set_key("a");
  change.set_value("two");
  *change.mutable_version() = found.version();
  CALL(entries, CompareAndSet, change, &stored);
  CHECK(stored.outcome() == v1::OUTCOME_REPLACED);
  CALL(entries, CompareAndSet, change, &stored);
  CHECK(stored.outcome() == v1::OUTCOME_REFUSED);
  v1::CompareAndRemoveRequest take;
  v1::RemoveReply removed;
  take.set_key("a");
  *take.mutable_version() = found.version();
  CALL(entries, CompareAndRemove, take, &removed);
  CHECK(removed.outcome() == v1::OUTCOME_REFUSED);
  v1::IncrementRequest increment;
  v1::IncrementReply number;
  increment.set_key("n");
  increment.set_by(-7);
  CALL(entries, Increment, increment, &number);
  CHECK(number.value() == -7 && number.created());
  v1::RefreshRequest refresh;
  v1::RefreshReply refreshed;
  refresh.set_key("a");
  CALL(entries, Refresh, refresh, &refreshed);
  CHECK(refreshed.found());
  v1::RemoveRequest remove;
  remove.set_key("a");
  CALL(entries, Remove, remove, &removed);
  CHECK(removed.outcome() == v1::OUTCOME_REMOVED && !get("a").found());

  CHECK(set("t1", "x", "tag") == v1::OUTCOME_INSERTED);
  v1::RemoveByTagRequest by_tag;
  v1::RemoveByTagReply by_tag_done;
  by_tag.set_tag("tag");
  CALL(entries, RemoveByTag, by_tag, &by_tag_done);
  CHECK(!get("t1").found());
}

static void thousand_at_once() {
  struct One {
    ClientContext context;
    v1::SetReply reply;
    Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::SetReply>> reader;
  };
  grpc::CompletionQueue queue;
  std::vector<One> calls(1000);
  for (size_t at = 0; at < calls.size(); at++) {
    v1::SetRequest request;
    request.set_key("k" + std::to_string(at));
    request.set_value("v" + std::to_string(at));
    calls[at].context.set_deadline(after(60000));
    calls[at].reader = entries->AsyncSet(&calls[at].context, request, &queue);
    calls[at].reader->Finish(&calls[at].reply, &calls[at].status, &calls[at]);
  }
  for (size_t done = 0; done < calls.size(); done++) {
    void* tag = nullptr;
    bool ok = false;
    CHECK(queue.AsyncNext(&tag, &ok, after(60000)) == grpc::CompletionQueue::GOT_EVENT && ok);
    CHECK(static_cast<One*>(tag)->status.ok() && static_cast<One*>(tag)->reply.outcome() == v1::OUTCOME_INSERTED);
  }
}

template <class Batch>
static Batch batch_of(uint64_t id, const std::vector<std::string>& keys, const std::string& table = "") {
  Batch batch;
  batch.set_id(id);
  batch.set_table(table);
  for (const std::string& key : keys) {
    batch.add_key_lengths(static_cast<uint32_t>(key.size()));
    batch.mutable_keys()->append(key);
  }
  return batch;
}

static void batches() {
  const std::vector<std::string> keys = {"k1", "none", "k999"};
  v1::ValueBatch values;
  CALL(entries, GetMany, batch_of<v1::GetBatch>(5, keys), &values);
  CHECK(values.id() == 5 && values.value_lengths_size() == 3 && values.value_lengths(0) == 3 && values.value_lengths(1) == 0 && values.values() == "v1v999");
  v1::SetBatch store = batch_of<v1::SetBatch>(6, {"m1", "m2"});
  store.add_value_lengths(1);
  store.add_value_lengths(0);
  store.set_values("x");
  v1::OutcomeBatch outcomes;
  CALL(entries, SetMany, store, &outcomes);
  CHECK(outcomes.outcomes_size() == 2 && outcomes.outcomes(1) == v1::OUTCOME_INSERTED && get("m1").value() == "x" && get("m2").found());
  CALL(entries, RemoveMany, batch_of<v1::RemoveBatch>(7, {"m1", "m2", "m3"}), &outcomes);
  CHECK(outcomes.outcomes(0) == v1::OUTCOME_REMOVED && outcomes.outcomes(2) == v1::OUTCOME_MISSING);

  ClientContext context;
  context.set_deadline(after(60000));
  auto stream = entries->Batches(&context);
  std::thread writer([&] {
    for (uint64_t id = 1; id <= 200; id++) {
      v1::BatchRequest request;
      *request.mutable_get() = batch_of<v1::GetBatch>(id, keys, id == 77 ? "nothing" : "");
      CHECK(stream->Write(request));
    }
    CHECK(stream->WritesDone());
  });
  std::map<uint64_t, v1::BatchReply> replies;
  for (v1::BatchReply reply; stream->Read(&reply);) {
    replies[reply.has_failure() ? reply.failure().id() : reply.values().id()] = reply;
  }
  writer.join();
  CHECK(stream->Finish().ok() && replies.size() == 200);
  CHECK(replies[77].failure().code() == StatusCode::NOT_FOUND && replies[200].values().values() == "v1v999");
}

static void large() {
  const std::string value(10000000, 'x');
  v1::SetRequest request;
  v1::SetReply stored;
  request.set_key("large");
  request.set_value(value);
  ClientContext zipped;
  zipped.set_deadline(after(60000));
  zipped.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  CHECK(entries->Set(&zipped, request, &stored).ok() && stored.outcome() == v1::OUTCOME_INSERTED);
  CHECK(get("large").value() == value);

  ClientContext sending;
  sending.set_deadline(after(60000));
  auto chunks = entries->SetLarge(&sending, &stored);
  v1::SetLargeRequest chunk;
  chunk.mutable_head()->set_key("chunks");
  chunk.mutable_head()->set_value_bytes(400000);
  chunk.set_chunk(value.substr(0, 200000));
  CHECK(chunks->Write(chunk));
  chunk.clear_head();
  CHECK(chunks->Write(chunk) && chunks->WritesDone() && chunks->Finish().ok());
  CHECK(stored.outcome() == v1::OUTCOME_INSERTED);
  ClientContext receiving;
  receiving.set_deadline(after(60000));
  v1::GetLargeRequest ask;
  ask.set_key("chunks");
  auto reader = entries->GetLarge(&receiving, ask);
  size_t bytes = 0;
  for (v1::ValueChunk part; reader->Read(&part);) bytes += part.chunk().size();
  CHECK(reader->Finish().ok() && bytes == 400000);
}

static void scans_and_tables() {
  size_t found = 0;
  v1::ScanRequest scan;
  v1::ScanReply page;
  scan.set_prefix("k");
  scan.set_entries_max(300);
  do {
    CALL(entries, Scan, scan, &page);
    found += static_cast<size_t>(page.entries_size());
    scan.set_cursor(page.cursor());
  } while (!page.cursor().empty());
  CHECK(found == 1000);

  v1::CreateTableRequest create;
  v1::CreateTableReply created;
  create.set_table("t");
  create.mutable_options()->set_kind(v1::TABLE_KIND_DURABLE);
  CALL(tables, Create, create, &created);
  CHECK(created.created());
  v1::ListTablesReply listed;
  CALL(tables, List, v1::ListTablesRequest(), &listed);
  CHECK(listed.tables_size() == 2 && listed.tables(1) == "t");
  v1::DescribeTableRequest describe;
  v1::TableDescription described;
  describe.set_table("t");
  CALL(tables, Describe, describe, &described);
  CHECK(described.options().kind() == v1::TABLE_KIND_DURABLE);
  v1::ClearTableRequest clear;
  v1::ClearTableReply cleared;
  clear.set_table("t");
  CALL(tables, Clear, clear, &cleared);
  v1::DropTableRequest drop;
  v1::DropTableReply dropped;
  drop.set_table("t");
  CALL(tables, Drop, drop, &dropped);
  CHECK(dropped.dropped());
}

static v1::GetOrLeaseReply get_or_lease() {
  v1::GetOrLeaseRequest ask;
  v1::GetOrLeaseReply reply;
  ask.set_key("leased");
  CALL(entries, GetOrLease, ask, &reply);
  return reply;
}

static void leases_and_watch() {
  ClientContext watching;
  watching.set_deadline(after(60000));
  v1::WatchRequest request;
  v1::WatchReply told;
  request.set_prefix("leased");
  auto watch = entries->Watch(&watching, request);
  CHECK(watch->Read(&told) && !told.resume().empty());  // from here on changes are told
  v1::EndLeaseRequest end;
  v1::EndLeaseReply ended;
  end.set_key("leased");
  end.set_lease(get_or_lease().lease());
  CHECK(get_or_lease().taken());
  CALL(entries, EndLease, end, &ended);
  CHECK(ended.was_held());
  v1::SetLeasedRequest store;
  v1::SetReply stored;
  store.set_key("leased");
  store.set_value("x");
  store.set_lease(get_or_lease().lease());
  CALL(entries, SetLeased, store, &stored);
  CHECK(stored.outcome() == v1::OUTCOME_INSERTED);
  CALL(entries, SetLeased, store, &stored);
  CHECK(stored.outcome() == v1::OUTCOME_REFUSED && get_or_lease().value() == "x");
  do CHECK(watch->Read(&told));
  while (told.events_size() == 0);
  CHECK(told.events(0).kind() == v1::WatchEvent::KIND_SET && told.events(0).key() == "leased");
  watching.TryCancel();
  CHECK(watch->Finish().error_code() == StatusCode::CANCELLED);
}

static uint64_t failed_calls() {
  v1::StatsReply stats;
  CALL(tables, Stats, v1::StatsRequest(), &stats);
  return stats.failed_calls();
}

// The server counts a call as failed when it has ended it: it has seen what ended the call here.
static void wait_for_failed_calls(uint64_t count) {
  for (auto end = after(60000); failed_calls() < count;) CHECK(std::chrono::system_clock::now() < end);
}

static void errors() {
  ClientContext context;
  context.set_deadline(after(60000));
  context.AddMetadata("x-sent-bin", std::string("\0\xff,=%\n", 6));
  v1::GetReply reply;
  Status status = entries->Get(&context, get_of("a", "nothing"), &reply);
  CHECK(status.error_code() == StatusCode::NOT_FOUND && status.error_message().find("no table 'nothing'") != std::string::npos);
  auto trailer = context.GetServerTrailingMetadata().find("pile-error-bin");
  CHECK(trailer != context.GetServerTrailingMetadata().end());
  v1::ErrorDetail detail;
  CHECK(detail.ParseFromString(std::string(trailer->second.data(), trailer->second.size())));
  CHECK(detail.text() == status.error_message() && detail.status() == v1::PILE_STATUS_REFUSED);

  ClientContext late;
  late.set_deadline(after(-1));
  CHECK(entries->Get(&late, get_of("a"), &reply).error_code() == StatusCode::DEADLINE_EXCEEDED);
  uint64_t before = failed_calls();
  bool reached = false;  // a busy machine may pass the deadline before the call is sent: then a longer one
  for (int wait = 300; !reached; wait *= 4) {
    CHECK(wait < 60000);
    ClientContext ending;
    ending.set_deadline(after(wait));
    auto waiting = entries->Batches(&ending);
    v1::BatchReply never;
    CHECK(!waiting->Read(&never) && waiting->Finish().error_code() == StatusCode::DEADLINE_EXCEEDED);
    reached = !ending.GetServerInitialMetadata().empty();
  }
  wait_for_failed_calls(before + 1);
  before = failed_calls();
  ClientContext given_up;
  auto cancelled = entries->Batches(&given_up);
  cancelled->WaitForInitialMetadata();
  given_up.TryCancel();
  CHECK(cancelled->Finish().error_code() == StatusCode::CANCELLED);
  wait_for_failed_calls(before + 1);
}

static void admin(const std::shared_ptr<grpc::Channel>& channel) {
  auto stub = v1::Admin::NewStub(channel);
  v1::VerifyReply verified;
  CHECK(call(*stub, &v1::Admin::Stub::Verify, v1::VerifyRequest(), &verified).error_code() == StatusCode::UNAUTHENTICATED);
  auto with_token = [](ClientContext& context) {
    context.set_deadline(after(60000));
    context.AddMetadata("authorization", "Bearer " + token);
    return &context;
  };
  ClientContext one, two, three, four;
  CHECK(stub->Verify(with_token(one), v1::VerifyRequest(), &verified).ok() && verified.is_good());
  v1::CheckpointReply checkpoint;
  CHECK(stub->Checkpoint(with_token(two), v1::CheckpointRequest(), &checkpoint).ok());
  v1::CompactReply compacted;
  CHECK(stub->Compact(with_token(three), v1::CompactRequest(), &compacted).ok());
  v1::CopyRequest copy;
  v1::CopyReply copied;
  copy.set_name("copy");
  CHECK(stub->Copy(with_token(four), copy, &copied).ok() && copied.segments() > 0);
}

template <class Stub, class Request, class Response>
static void reflection(Stub stub, Request ask, Response answer) {
  ClientContext context;
  context.set_deadline(after(60000));
  auto stream = stub->ServerReflectionInfo(&context);
  ask.set_list_services("");
  CHECK(stream->Write(ask) && stream->Read(&answer));
  std::string names;
  for (const auto& service : answer.list_services_response().service()) names += service.name() + " ";
  for (const char* name : {"pile.v1.Entries", "pile.v1.Tables", "pile.v1.Admin", "grpc.health.v1.Health"}) CHECK(names.find(name) != std::string::npos);
  ask.set_file_containing_symbol("pile.v1.Entries");
  CHECK(stream->Write(ask) && stream->Read(&answer) && answer.file_descriptor_response().file_descriptor_proto_size() > 0);
  CHECK(stream->WritesDone() && stream->Finish().ok());
}

// A stream stays open while the connection is pinged every 50 ms: neither side may end it for that.
static void health_and_pings(const std::shared_ptr<grpc::Channel>& channel) {
  auto stub = grpc::health::v1::Health::NewStub(channel);
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse reply;
  CALL(stub, Check, request, &reply);
  CHECK(reply.status() == grpc::health::v1::HealthCheckResponse::SERVING);
  ClientContext watching;
  watching.set_deadline(after(60000));
  auto watch = stub->Watch(&watching, request);
  CHECK(watch->Read(&reply) && reply.status() == grpc::health::v1::HealthCheckResponse::SERVING);
  CHECK(!channel->WaitForStateChange(GRPC_CHANNEL_READY, after(1000)));
  watching.TryCancel();
  CHECK(watch->Finish().error_code() == StatusCode::CANCELLED && get("k1").found());
}

int main(int count, char** arguments) {
  CHECK(count == 3 || count == 4 || count == 6);
  token = arguments[2];
  grpc::ChannelArguments settings;
  settings.SetMaxReceiveMessageSize(-1);
  settings.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 50);
  settings.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (count > 3) {
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = read_file(arguments[3]);
    if (count > 4) {
      tls.pem_cert_chain = read_file(arguments[4]);
      tls.pem_private_key = read_file(arguments[5]);
    }
    credentials = grpc::SslCredentials(tls);
  }
  auto channel = grpc::CreateCustomChannel(arguments[1], credentials, settings);
  entries = v1::Entries::NewStub(channel);
  tables = v1::Tables::NewStub(channel);
  single();
  thousand_at_once();
  batches();
  large();
  scans_and_tables();
  leases_and_watch();
  errors();
  admin(channel);
  reflection(grpc::reflection::v1::ServerReflection::NewStub(channel), grpc::reflection::v1::ServerReflectionRequest(), grpc::reflection::v1::ServerReflectionResponse());
  reflection(grpc::reflection::v1alpha::ServerReflection::NewStub(channel), grpc::reflection::v1alpha::ServerReflectionRequest(), grpc::reflection::v1alpha::ServerReflectionResponse());
  health_and_pings(channel);
  std::puts("ok");
  return 0;
}
