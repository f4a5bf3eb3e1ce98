// A web app whose sessions are on a cache server, so that any instance may answer any request, and a restart of the app or of the server signs
// nobody out. On the loopback interface alone, unless --urls says otherwise; the cache server is at --PileClient:Address.
using System;
using System.IO;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.Extensions.DependencyInjection;
using Pile.Client;
using SessionStore;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
_ = builder.AddPileClient();

// A durable table: nobody's session is evicted for want of room, and sessions survive a power cut of the server too.
_ = builder.Services.AddPileClientDistributedCache(configure: static options =>
{
    options.TableName = "sessions";
    options.Table = new PileClientTableOptions { IsDurable = true };
});
_ = builder.Services.AddSession(static options => options.IdleTimeout = TimeSpan.FromMinutes(20));

// The cookie names the session, encrypted: all instances need the same keys, and the next start needs them too.
_ = builder.Services.AddDataProtection().SetApplicationName("SessionStore").PersistKeysToFileSystem(new DirectoryInfo(builder.Configuration["keys"] ?? "keys"));
_ = builder.Services.AddHealthChecks().AddPileClient();
if (builder.Configuration["urls"] is null)
{
    builder.Configuration["urls"] = "http://127.0.0.1:5085";
}

await using WebApplication app = builder.Build();
_ = app.UseHealthChecks("/health"); // before the sessions: who asks for health needs none
_ = app.UseSession();
_ = app.MapGet("/basket", Basket.ReadAsync);
_ = app.MapPost("/basket/{item}", Basket.AddAsync);
_ = app.MapDelete("/basket", Basket.EmptyAsync);
await app.RunAsync();
