#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "support/report.hpp"

namespace xf::exercise {

// Reports to the script which test runs, what it threw, and that the end was reached.
struct Listener : doctest::IReporter {
  explicit Listener(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  // Unbuffered, so that what the learner's code printed before a crash is not lost.
  void test_run_start() override { std::setvbuf(stdout, nullptr, _IONBF, 0); }
  void test_run_end(const doctest::TestRunStats& run) override {
    report("{\"end\": " + std::to_string(run.numTestCasesPassingFilters) + "}");
  }
  void test_case_start(const doctest::TestCaseData& test) override {
    report("{\"case\": " + quoted(test.m_name) + "}");
    std::printf("\x1e%s\n", test.m_name);  // to separate the output of the tests
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException& e) override {
    report("{\"threw\": " + quoted(e.error_string.c_str()) + "}");
  }
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("script", 1, Listener);

}  // namespace xf::exercise
